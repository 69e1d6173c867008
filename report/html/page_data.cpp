#include "report/html/page_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "report/build_deadlocks.hpp"
#include "report/changed_reads.hpp"
#include "report/explain.hpp"
#include "report/frames.hpp"
#include "report/source_lines.hpp"

namespace omen::report {
namespace {

using Json = nlohmann::ordered_json;

/// Collects the source lines that the page needs, then reads their texts.
class Sources {
 public:
  explicit Sources(std::uint32_t context) : context_(context) {}

  void want(const std::string& file, std::uint32_t line) {
    if (line == 0 || line == std::numeric_limits<std::uint32_t>::max() || file.empty()) return;
    std::set<std::uint32_t>& lines = wanted_[file];
    const std::uint32_t first = line > context_ ? line - context_ : 1;
    const std::uint32_t after = std::min(context_, std::numeric_limits<std::uint32_t>::max() - 1 - line);
    for (std::uint32_t each = first; each <= line + after; ++each) lines.insert(each);
  }

  /// For each file its runs of lines: `{"first": 12, "lines": […]}`.
  Json json() {
    Json all = Json::object();
    for (const auto& [file, lines] : wanted_) {
      Json parts = Json::array();
      std::uint32_t next = 0;
      for (const std::uint32_t number : lines) {
        const auto text = files_.line(file, number);
        if (!text) continue;
        if (parts.empty() || number != next) parts.push_back({{"first", number}, {"lines", Json::array()}});
        parts.back()["lines"].push_back(*text);
        next = number + 1;
      }
      if (!parts.empty()) all[file] = std::move(parts);
    }
    return all;
  }

 private:
  std::uint32_t context_;
  SourceLines files_;
  std::map<std::string, std::set<std::uint32_t>> wanted_;
};

class Writer {
 public:
  Writer(const RunReport& report, const PageStyle& style) : report_(report), style_(style), sources_(style.context) {}

  Json document() {
    Json findings = Json::array();
    for (const Race& race : report_.races) findings.push_back(finding(race));
    for (const Deadlock& deadlock : report_.deadlocks) findings.push_back(finding(deadlock));
    for (const Race& race : report_.unconfirmed) findings.push_back(finding(race));
    Json files = Json::object();
    for (const std::string& file : files_) files[file] = relative_path(file, style_.from);
    return {{"version", style_.version},
            {"command", report_.command},
            {"process", report_.process},
            {"end", report_.exit.signal.empty() ? fmt::format("exit code {}", report_.exit.code)
                                                : "ended by " + report_.exit.signal},
            {"threads", report_.threads},
            {"events", report_.events},
            {"synchronisations", report_.synchronisations},
            {"complete", report_.complete},
            {"notes", report_.notes},
            {"certainties",
             {{"observed", kCertaintyWords[0]},
              {"confirmed", kCertaintyWords[1]},
              {"predicted", kCertaintyWords[2]},
              {"excluded", kCertaintyWords[3]}}},
            {"files", std::move(files)},
            {"sources", sources_.json()},
            {"findings", std::move(findings)}};
  }

 private:
  /// Registers the file, whose shown name the page looks up, and the lines around `line`. Every file passes through
  /// here.
  const std::string& file(const std::string& name, std::uint32_t line) {
    if (!name.empty()) files_.insert(name);
    sources_.want(name, line);
    return name;
  }

  Json frame_json(const Frame& frame) {
    Json one{{"function", short_name(frame)},
             {"file", file(frame.file, is_system(frame) ? 0 : frame.line)},
             {"line", frame.line},
             {"column", frame.column},
             {"system", is_system(frame)}};
    if (one["function"] != frame.function) one["full"] = frame.function;
    if (!frame.module.empty()) one["module"] = fmt::format("{}+{:#x}", base_name(frame.module), frame.offset);
    return one;
  }

  /// The frames in runs; each run is one line of the page.
  Json stack_json(const Stack& stack, Innermost innermost) {
    Json runs = Json::array();
    for (const FrameRun& run : fold(stack, innermost)) {
      Json frames = Json::array();
      for (std::size_t i = run.first; i <= run.last; ++i) frames.push_back(frame_json(stack[i]));
      runs.push_back({{"first", run.first}, {"label", run.label}, {"frames", std::move(frames)}});
    }
    return runs;
  }

  Json titled_stack(std::string title, const Stack& stack) {
    return {{"title", std::move(title)}, {"stack", stack_json(stack, Innermost::AsAll)}};
  }

  /// For a race or a deadlock.
  template <class Found>
  static std::string who(const Found& found, std::uint32_t id) {
    const Thread* const thread = found.thread(id);
    if (thread == nullptr) return fmt::format("T{}", id);
    if (thread->name.empty()) return thread->label;
    return fmt::format("{} '{}'", thread->label, thread->name);
  }

  static std::string lock_title(const HeldLock& lock) {
    std::string text = lock.name.empty() ? lock.label : fmt::format("{} '{}'", lock.label, lock.name);
    return lock.shared ? text + " (for reading)" : text;
  }

  Json side(const Race& race, const Access& access) {
    std::string title(name_in(kAccessKindNames, access.kind));
    if (access.atomic) title = "atomic " + title;
    title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
    if (access.size != 0) title += fmt::format(" of {} byte{}", access.size, access.size == 1 ? "" : "s");
    title += " by " + who(race, access.thread);
    Json locks = Json::array();
    for (const HeldLock& lock : access.locks) locks.push_back(lock_title(lock));
    const Frame* const place = own_place(access.stack);
    return {
        {"title", std::move(title)},
        {"short", fmt::format("{} by {}", name_in(kAccessKindNames, access.kind), thread_label(race, access.thread))},
        {"thread", access.thread},
        {"file", place == nullptr ? "" : file(place->file, place->line)},
        {"line", place == nullptr ? 0 : place->line},
        {"column", place == nullptr ? 0 : place->column},
        {"locks", std::move(locks)},
        {"stack", stack_json(access.stack, Innermost::Alone)}};
  }

  static Json threads_json(const std::vector<Thread>& threads) {
    Json list = Json::array();
    for (const Thread& thread : threads) {
      list.push_back({{"id", thread.id}, {"label", thread.label}, {"name", thread.name}});
    }
    return list;
  }

  template <class Found>
  void add_creations(const Found& found, Json& list) {
    for (const Thread& thread : found.threads) {
      if (thread.creation.empty()) continue;
      list.push_back(
          titled_stack(fmt::format("{}, created by {}", who(found, thread.id), who(found, thread.creator.value_or(0))),
                       thread.creation));
    }
  }

  Json related(const Race& race) {
    Json list = Json::array();
    if (!race.variable.allocated.empty()) {
      list.push_back(titled_stack(
          fmt::format("The {}, allocated by {}", subject(race), thread_label(race, race.variable.thread.value_or(0))),
          race.variable.allocated));
    }
    for (const Access& access : race.accesses) {
      for (const HeldLock& lock : access.locks) {
        list.push_back(titled_stack(
            fmt::format("{}, locked by {}", lock_title(lock), thread_label(race, access.thread)), lock.acquired));
      }
    }
    add_creations(race, list);
    return list;
  }

  Json step_json(const ScheduleStep& step) {
    Json one{{"kind", name_in(kStepKindNames, step.kind)},
             {"thread", step.thread ? Json(*step.thread) : Json(nullptr)},
             {"text", step.text},
             {"file", file(step.file, step.line)},
             {"line", step.line},
             {"function", step.function},
             {"first", step.first},
             {"last", step.last},
             {"holds", step.holds},
             {"keeps", step.keeps}};
    one["recorded"] = step.recorded ? Json(*step.recorded) : Json(nullptr);
    return one;
  }

  Json steps_json(const std::vector<ScheduleStep>& steps) {
    Json list = Json::array();
    const std::size_t skipped = steps.size() > style_.most_steps ? steps.size() - style_.most_steps : 0;
    for (std::size_t i = skipped; i < steps.size(); ++i) list.push_back(step_json(steps[i]));
    return list;
  }

  /// The two accesses as steps, for a race without a schedule.
  std::vector<ScheduleStep> accesses(const Race& race) {
    std::vector<ScheduleStep> steps;
    for (std::size_t i = 2; i-- > 0;) {
      const Access& access = race.accesses[i];
      constexpr std::array<std::string_view, 3> kVerbs{"reads ", "writes ", "frees "};
      ScheduleStep step;
      step.kind = StepKind::Access;
      step.thread = access.thread;
      step.text = std::string(name_in(kVerbs, access.kind)) + subject(race);
      if (const Frame* const place = own_place(access.stack)) {
        step.file = place->file;
        step.line = place->line;
        step.function = place->function;
      }
      step.recorded = {{access.event, access.event}};
      for (const HeldLock& lock : access.locks) step.holds.push_back(lock.label);
      step.keeps = step.holds;
      steps.push_back(std::move(step));
    }
    return steps;
  }

  std::string id(const std::string& fingerprint) {
    std::string name = fingerprint.empty() ? "finding" : fingerprint;
    const std::size_t before = ids_[name]++;
    return before == 0 ? name : fmt::format("{}-{}", name, before + 1);
  }

  Json finding(const Race& race) {
    const Explanation words = explain(race);
    Json facts = Json::array();
    const auto fact = [&](std::string_view name, std::string text) {
      facts.push_back({{"name", name}, {"text", std::move(text)}});
    };
    if (race.variable.kind == LocationKind::Global) {
      fact("Variable", fmt::format("global '{}' of {} bytes", race.variable.name, race.variable.size));
    } else {
      fact("Memory", subject(race));
    }
    fact("Found by", std::string(relation_name(race.found_by)));
    if (race.count > 1) fact("Pairs of accesses", std::to_string(race.count));
    if (!race.why.empty()) fact("Why", race.why);
    if (race.replays && race.replays->runs == 0) {
      fact("Not replayed", race.replays->diverged);
    } else if (race.replays) {
      fact("Replayed", fmt::format("in {} of {} runs", race.replays->reached, race.replays->runs));
    }
    if (race.turned) {
      fact("Turned branch", fmt::format("{} at {}:{}, whose condition {} in the recorded run",
                                        who(race, race.turned->thread), base_name(race.turned->place.file),
                                        race.turned->place.line, race.turned->taken ? "held" : "did not hold"));
    }
    for (const ChangedRead& read : race.changed_reads) {
      const std::string count = read.count > 1 ? fmt::format(" (the first of {} reads)", read.count) : "";
      fact("Changed read", fmt::format("{} reads {} at {}:{}: {}{}", who(race, read.thread), read.variable,
                                       base_name(read.place.file), read.place.line, change_words(read), count));
    }
    if (race.witness_size != 0) fact("Witness", fmt::format("{} events", race.witness_size));
    return {{"id", id(race.fingerprint)},
            {"kind", words_of(race.kind).name},
            {"headline", race.headline()},
            {"certainty", name_in(kCertaintyNames, certainty(race))},
            {"certaintyWords", certainty_words(race)},
            {"title", words.what},
            {"why", words.why},
            {"fix", words.fix},
            {"more", words.more},
            {"facts", std::move(facts)},
            {"fingerprint", race.fingerprint},
            {"sides", Json::array({side(race, race.accesses[0]), side(race, race.accesses[1])})},
            {"related", related(race)},
            {"threads", threads_json(race.threads)},
            {"isWitness", !race.schedule.empty()},
            {"mark", "race"},
            {"steps", steps_json(race.schedule.empty() ? accesses(race) : race.schedule)},
            {"hidden", steps_json(race.hidden_by)}};
  }

  Json finding(const Deadlock& deadlock) {
    const Explanation words = explain(deadlock);
    Json sides = Json::array();
    Json related = Json::array();
    std::string title;
    for (std::size_t i = 0; i < deadlock.waiting.size(); ++i) {
      const WaitingThread& one = deadlock.waiting[i];
      const Frame* const place = own_place(one.stack);
      const std::string waits = fmt::format("{} {}", who(deadlock, one.thread), waiting_words(deadlock, i));
      title += (i == 0 ? "" : "; ") + waits;
      Json locks = Json::array();
      if (one.holds) {
        locks.push_back(lock_title(*one.holds));
        related.push_back(titled_stack(
            fmt::format("{}, locked by {}", lock_title(*one.holds), who(deadlock, one.thread)), one.holds->acquired));
      }
      sides.push_back({{"title", waits},
                       {"short", who(deadlock, one.thread) + " waits"},
                       {"thread", one.thread},
                       {"file", place == nullptr ? "" : file(place->file, place->line)},
                       {"line", place == nullptr ? 0 : place->line},
                       {"column", place == nullptr ? 0 : place->column},
                       {"locks", std::move(locks)},
                       {"stack", stack_json(one.stack, Innermost::Alone)}});
    }
    add_creations(deadlock, related);
    Json facts = Json::array();
    facts.push_back({{"name", "Witness"}, {"text", fmt::format("{} events", deadlock.witness_size)}});
    return {{"id", id(deadlock.fingerprint)},
            {"kind", "deadlock"},
            {"headline", "deadlock"},
            {"certainty", name_in(kCertaintyNames, Certainty::Confirmed)},
            {"certaintyWords", name_in(kCertaintyWords, Certainty::Confirmed)},
            {"title", std::move(title)},
            {"why", words.why},
            {"fix", words.fix},
            {"more", Json::array()},
            {"facts", std::move(facts)},
            {"fingerprint", deadlock.fingerprint},
            {"sides", std::move(sides)},
            {"related", std::move(related)},
            {"threads", threads_json(deadlock.threads)},
            {"isWitness", true},
            {"mark", "stuck"},
            {"steps", steps_json(deadlock.schedule)},
            {"hidden", Json::array()}};
  }

  const RunReport& report_;
  const PageStyle& style_;
  Sources sources_;
  std::set<std::string> files_;
  std::map<std::string, std::size_t> ids_;  ///< the number of findings with this id so far
};

}  // namespace

Json page_data(const RunReport& report, const PageStyle& style) {
  return Writer(report, style).document();
}

}  // namespace omen::report
