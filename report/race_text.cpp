#include "report/race_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "trace/quote.hpp"

namespace omen::report {
namespace {

constexpr std::string_view kTool = "OmenRaceDetector";
constexpr std::string_view kRule = "==================\n";

/// Names come from files and from the program; none may break the layout.
std::string clean(std::string_view text) {
  return on_one_line(text);
}

class Writer {
 public:
  Writer(const Race& race, const RunReport& report, const TextStyle& style)
      : race_(race), report_(report), style_(style) {}

  std::string text() {
    out_ += kRule;
    add("WARNING: {}: {}", kTool, race_.headline());
    if (report_.process != 0) add(" (pid={})", report_.process);
    out_ += "\n";
    access(race_.accesses[0], false);
    access(race_.accesses[1], true);
    location();
    mutexes();
    threads();
    finding();
    if (style_.summary) summary();
    out_ += kRule;
    return std::move(out_);
  }

  std::string finding_text() {
    add("{}: {}", kTool, race_.headline());
    place(Race::place(race_.accesses[0].stack));
    out_ += " with";
    place(Race::place(race_.accesses[1].stack));
    out_ += ":\n";
    finding();
    return std::move(out_);
  }

  /// Of one of `RunReport::unconfirmed`.
  std::string unconfirmed_text() {
    add("{}: {}: {}", kTool, race_.excluded ? "excluded" : "unknown", race_.headline());
    place(Race::place(race_.accesses[0].stack));
    out_ += " with";
    place(Race::place(race_.accesses[1].stack));
    add("\n  Predicted by {}; ", relation_name(race_.found_by));
    if (race_.excluded) {
      add("no schedule of the same run shows it: {}", clean(race_.why));
      if (race_.count > 1) add("; so for each of the {} pairs of accesses", race_.count);
    } else {
      add("{} of {} pairs of accesses {} excluded; {}", race_.decided, race_.count, race_.decided == 1 ? "is" : "are",
          clean(race_.why));
    }
    out_ += ".\n\n";
    return std::move(out_);
  }

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> form, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), form, std::forward<Args>(args)...);
  }

  std::string path(const std::string& file) const {
    const std::string& prefix = style_.strip_path_prefix;
    const auto at = prefix.empty() ? std::string::npos : file.find(prefix);
    return clean(at == std::string::npos ? file : file.substr(at + prefix.size()));
  }

  std::string position(const std::string& file, std::uint32_t line, std::uint32_t column) const {
    std::string text = path(file);
    if (line != 0) text += fmt::format(":{}", line);
    if (line != 0 && column != 0) text += fmt::format(":{}", column);
    return text;
  }

  void stack(const Stack& frames) {
    if (frames.empty()) out_ += "    [no stack is known]\n";
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const Frame& frame = frames[i];
      add("    #{}", i);
      if (!frame.function.empty() || !frame.has_source())
        add(" {}", frame.function.empty() ? "<null>" : clean(frame.function));
      if (frame.has_source()) add(" {}", position(frame.file, frame.line, frame.column));
      if (!frame.module.empty()) {
        add(" ({}+{:#x})", clean(base_name(frame.module)), frame.offset);
        if (!frame.build_id.empty()) add(" (BuildId: {})", clean(frame.build_id));
      } else if (frame.offset != 0) {
        add(" ({:#x})", frame.offset);
      }
      out_ += "\n";
    }
    out_ += "\n";
  }

  /// "main thread", "thread T1 'name'".
  std::string who(std::uint32_t id, bool with_name = false) const {
    const Thread* thread = race_.thread(id);
    if (thread == nullptr) return fmt::format("thread T{}", id);
    if (thread->main) return "main thread";
    std::string text = fmt::format("thread {}", clean(thread->label));
    if (with_name && !thread->name.empty()) text += fmt::format(" {}", quoted(thread->name));
    return text;
  }

  void access(const Access& access, bool previous) {
    std::string what(name_in(kAccessKindNames, access.kind));
    if (access.atomic) what = "atomic " + what;
    if (previous) what = "previous " + what;
    what[0] = static_cast<char>(what[0] - 'a' + 'A');
    add("  {}", what);
    if (access.size != 0) add(" of size {}", access.size);
    if (access.address != 0) add(" at {:#x}", access.address);
    add(" by {}", who(access.thread));
    for (std::size_t i = 0; i < access.locks.size(); ++i) {
      const HeldLock& lock = access.locks[i];
      add("{}{} {}", i == 0 ? " (mutexes: " : ", ", lock.shared ? "read" : "write", clean(lock.label));
    }
    if (!access.locks.empty()) out_ += ")";
    out_ += ":\n";
    stack(access.stack);
  }

  void location() {
    const Variable& variable = race_.variable;
    switch (variable.kind) {
      case LocationKind::Global:
        add("  Location is global {} of size {} at {:#x}", quoted(variable.name, 200), variable.size, variable.address);
        if (!variable.module.empty()) add(" ({}+{:#x})", clean(base_name(variable.module)), variable.offset);
        out_ += "\n\n";
        return;
      case LocationKind::Heap:
        add("  Location is heap block of size {} at {:#x} allocated by {}:\n", variable.size, variable.address,
            who(variable.thread.value_or(0)));
        stack(variable.allocated);
        return;
      case LocationKind::OnStack:
        add("  Location is stack of {}.\n\n", who(variable.thread.value_or(0)));
        return;
      case LocationKind::Unknown:
        if (!variable.name.empty()) add("  Location is {}\n\n", quoted(variable.name, 200));
        return;
    }
  }

  void mutexes() {
    for (const Access& access : race_.accesses) {
      for (const HeldLock& lock : access.locks) {
        std::string head = fmt::format("  Mutex {}", clean(lock.label));
        if (!lock.name.empty()) head += fmt::format(" {}", quoted(lock.name));
        if (lock.address != 0) head += fmt::format(" ({:#x})", lock.address);
        add("{} {}locked by {} at:\n", head, lock.shared ? "read-" : "", who(access.thread));
        stack(lock.acquired);
      }
    }
  }

  void threads() {
    // Those that did something, then those that created them; the main thread needs no words.
    for (const Thread& thread : race_.threads) {
      if (thread.main) continue;
      add("  Thread {}", clean(thread.label));
      if (!thread.name.empty()) add(" {}", quoted(thread.name));
      out_ += " (";
      if (thread.system_id != 0) add("tid={}, ", thread.system_id);
      add("{})", thread.finished ? "finished" : "running");
      if (!thread.creator) {
        out_ += "\n\n";
        continue;
      }
      add(" created by {} at:\n", who(*thread.creator));
      stack(thread.creation);
    }
  }

  std::string label(std::optional<std::uint32_t> id) const {
    if (!id) return "...";
    const Thread* thread = race_.thread(*id);
    return thread == nullptr ? fmt::format("T{}", *id) : clean(thread->label);
  }

  void steps(const std::vector<ScheduleStep>& all) {
    std::size_t width = 0;
    for (const ScheduleStep& step : all) width = std::max(width, std::min<std::size_t>(label(step.thread).size(), 24));
    for (const ScheduleStep& step : all) {
      add("    {:<{}}  {}", label(step.thread), width, clean(step.text));
      if (step.kind != StepKind::Run && !step.file.empty()) {
        add(" at {}:{}", clean(base_name(step.file)), step.line);  // the stacks have the whole paths
      }
      if (step.kind == StepKind::Access) out_ += "   <-- race";
      out_ += "\n";
    }
  }

  void finding() {
    if (race_.observed) {
      out_ += fmt::format("  Observed in this run ({})", relation_name(race_.found_by));
    } else {
      add("  Predicted by {}", relation_name(race_.found_by));
    }
    if (race_.confirmed) {
      out_ += "; confirmed: ";
      out_ += race_.schedule.empty() ? "a schedule of the same run brings both accesses together.\n"
                                     : "this schedule of the same run brings both accesses together:\n";
      steps(race_.schedule);
    } else if (race_.observed) {
      out_ += ".\n";
    } else if (race_.online) {
      out_ += "; not confirmed: no witness is looked for while the program runs (--record looks for one afterwards).\n";
    } else {
      out_ += "; not confirmed: no schedule that shows it was found within the budget.\n";
    }
    if (!race_.hidden_by.empty()) {
      out_ += "  In the recorded order this synchronisation came between the two:\n";
      steps(race_.hidden_by);
    }
    if (race_.count > 1) add("  {} pairs of accesses at these places race.\n", race_.count);
    out_ += "\n";
  }

  void summary() {
    const Frame* frame = Race::place(race_.accesses[0].stack);
    // A library's function without source says less than the other side's own code.
    if (frame != nullptr && !frame->has_source()) {
      const Frame* other = Race::place(race_.accesses[1].stack);
      if (other != nullptr && other->has_source()) frame = other;
    }
    add("SUMMARY: {}: {}", kTool, race_.headline());
    place(frame);
    out_ += "\n";
  }

  void place(const Frame* frame) {
    if (frame == nullptr) return;
    if (frame->has_source()) {
      add(" {}", position(frame->file, frame->line, frame->column));
    } else if (!frame->module.empty()) {
      add(" ({}+{:#x})", clean(frame->module), frame->offset);
    }
    if (!frame->function.empty()) add(" in {}", clean(frame->function));
  }

  const Race& race_;
  const RunReport& report_;
  const TextStyle& style_;
  std::string out_;
};

std::string counted(std::uint64_t n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

}  // namespace

std::string race_text(const Race& race, const RunReport& report, const TextStyle& style) {
  return Writer(race, report, style).text();
}

std::string finding_text(const Race& race, const TextStyle& style) {
  const RunReport head;
  return Writer(race, head, style).finding_text();
}

std::string unconfirmed_text(const Race& race, const TextStyle& style) {
  const RunReport head;
  return Writer(race, head, style).unconfirmed_text();
}

std::string closing_text(const RunReport& report) {
  const auto observed = std::ranges::count_if(report.races, &Race::observed);
  const auto confirmed = std::ranges::count_if(report.races, &Race::confirmed);
  std::string text = fmt::format("{}: {}", kTool, counted(report.races.size(), "race", "races"));
  if (!report.races.empty())
    text += fmt::format(" ({} observed, {} predicted; {} confirmed)", observed,
                        static_cast<std::ptrdiff_t>(report.races.size()) - observed, confirmed);
  text += fmt::format(" in {}, {}, {}\n", counted(report.events, "event", "events"),
                      counted(report.threads, "thread", "threads"),
                      counted(report.synchronisations, "synchronisation", "synchronisations"));
  if (report.excluded + report.unknown != 0) {
    text += fmt::format("{}: not reported: {} excluded, {} unknown of {} (--unconfirmed, --budget)\n", kTool,
                        report.excluded, report.unknown,
                        counted(report.excluded + report.unknown, "predicted pair of places that was not confirmed",
                                "predicted pairs of places that were not confirmed"));
  }
  if (!report.exit.signal.empty())
    text += fmt::format("note: the program was ended by {}\n", clean(report.exit.signal));
  if (!report.complete) text += "note: not everything was recorded, so races may be missing\n";
  for (const std::string& note : report.notes) text += fmt::format("note: {}\n", clean(note));
  return text;
}

std::string as_text(const RunReport& report, const TextStyle& style) {
  std::string text;
  for (const Race& race : report.races) text += race_text(race, report, style);
  if (style.unconfirmed) {
    for (const Race& race : report.unconfirmed) text += unconfirmed_text(race, style);
  }
  return text + closing_text(report);
}

}  // namespace omen::report
