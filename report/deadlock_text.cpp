#include "report/deadlock_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/build_deadlocks.hpp"
#include "report/explain.hpp"
#include "report/frames.hpp"
#include "report/text_parts.hpp"
#include "trace/quote.hpp"

namespace omen::report {
namespace {

std::string who(const Deadlock& deadlock, std::uint32_t id) {
  const Thread* const thread = deadlock.thread(id);
  if (thread == nullptr) return fmt::format("Thread T{}", id);
  return thread->main ? "Main thread" : fmt::format("Thread {}", on_one_line(thread->label));
}

std::string lock_words(const HeldLock& lock) {
  std::string text = on_one_line(lock.label);
  if (!lock.name.empty()) text += " " + quoted(lock.name);
  if (lock.address != 0) text += fmt::format(" ({:#x})", lock.address);
  return text;
}

class Writer {
 public:
  Writer(const Deadlock& deadlock, const RunReport& report, const TextStyle& style)
      : deadlock_(deadlock), report_(report), parts_(style, deadlock.threads) {}

  std::string text() {
    parts_.add_text(kRule);
    std::string warning = fmt::format("WARNING: {}: deadlock", kTool);
    const std::uint64_t process = deadlock_.origin.process == 0 ? report_.process : deadlock_.origin.process;
    if (process != 0) warning += fmt::format(" (pid={})", process);
    parts_.add("{}\n", parts_.painted(Paint::Alarm, warning));
    const Explanation words = explain(deadlock_);
    parts_.title(words.what, deadlock_.replays && deadlock_.replays->reached != 0 ? "predicted, confirmed, replayed"
                                                                                  : "predicted, confirmed");
    if (!deadlock_.origin.command.empty()) parts_.sentence("In process: " + command_line(deadlock_.origin.command));
    for (std::size_t i = 0; i < deadlock_.waiting.size(); ++i) waiting(i);
    parts_.thread_sections();
    parts_.sentence("Predicted; confirmed: this schedule of the same run ends in the deadlock:");
    parts_.steps(steps_that_matter(deadlock_.schedule, locks()), "stuck");
    replays();
    if (deadlock_.count > 1) parts_.add("  {} cycles of threads at these places.\n", deadlock_.count);
    if (report_.runs > 1) parts_.add("  Seen in {} of {} runs.\n", deadlock_.origin.runs, report_.runs);
    parts_.remark("Why:", words.why);
    parts_.remark("Fix:", words.fix);
    parts_.add_text("\n");
    if (parts_.style().summary && !deadlock_.waiting.empty()) {
      parts_.add("SUMMARY: {}: deadlock", kTool);
      parts_.place(own_place(deadlock_.waiting.front().stack));
      parts_.add_text("\n");
    }
    parts_.add_text(kRule);
    return parts_.take();
  }

 private:
  /// Labels of the locks in the cycle.
  std::set<std::string> locks() const {
    std::set<std::string> labels;
    for (const WaitingThread& one : deadlock_.waiting) {
      if (one.wants) labels.insert(one.wants->label);
      if (one.holds) labels.insert(one.holds->label);
    }
    return labels;
  }

  void waiting(std::size_t i) {
    const WaitingThread& one = deadlock_.waiting[i];
    parts_.add("  {} {}:\n", who(deadlock_, one.thread), on_one_line(waiting_words(deadlock_, i)));
    parts_.stack(one.stack, TextParts::Role::Wait);
    if (!one.holds) return;
    parts_.add("  It holds {}, {}locked at:\n", lock_words(*one.holds), one.holds->shared ? "read-" : "");
    parts_.stack(one.holds->acquired);
  }

  void replays() {
    if (!deadlock_.replays) return;
    if (deadlock_.replays->runs == 0) {
      parts_.sentence(fmt::format("Not replayed: {}.", on_one_line(deadlock_.replays->diverged)));
      return;
    }
    parts_.add("  Replayed in {} of {} runs of the program.\n", deadlock_.replays->reached, deadlock_.replays->runs);
    if (!deadlock_.replays->diverged.empty()) parts_.sentence("A run " + on_one_line(deadlock_.replays->diverged));
  }

  const Deadlock& deadlock_;
  const RunReport& report_;
  TextParts parts_;
};

}  // namespace

std::string deadlock_text(const Deadlock& deadlock, const RunReport& report, const TextStyle& style) {
  return Writer(deadlock, report, style).text();
}

}  // namespace omen::report
