#include "report/race_text.hpp"

#include <algorithm>
#include <set>

#include "report/baseline.hpp"
#include "report/changed_reads.hpp"
#include "report/deadlock_text.hpp"
#include "report/explain.hpp"
#include "report/frames.hpp"
#include "report/text_parts.hpp"
#include "trace/quote.hpp"

namespace omen::report {
namespace {

/// The schedule's steps on relevant locks: those that ordered the accesses in the recorded run, and those held at them.
std::vector<ScheduleStep> steps_that_matter(const Race& race) {
  std::set<std::string> locks;
  for (const Access& access : race.accesses) {
    for (const HeldLock& lock : access.locks) locks.insert(lock.label);
  }
  for (const ScheduleStep& step : race.hidden_by) locks.insert(step.holds.begin(), step.holds.end());
  return steps_that_matter(race.schedule, locks);
}

class Writer {
 public:
  Writer(const Race& race, const RunReport& report, const TextStyle& style)
      : race_(race), report_(report), words_(explain(race)), parts_(style, race.threads) {}

  std::string text() {
    parts_.add_text(kRule);
    std::string warning = fmt::format("WARNING: {}: {}", kTool, race_.headline());
    const std::uint64_t process = race_.origin.process == 0 ? report_.process : race_.origin.process;
    if (process != 0) warning += fmt::format(" (pid={})", process);
    parts_.add("{}\n", parts_.painted(Paint::Alarm, warning));
    parts_.title(words_.what, certainty_words(race_));
    if (!race_.origin.command.empty()) parts_.sentence("In process: " + command_line(race_.origin.command));
    access(race_.accesses[0], false);
    access(race_.accesses[1], true);
    location();
    mutexes();
    parts_.thread_sections();
    finding();
    if (parts_.style().summary) summary();
    parts_.add_text(kRule);
    return parts_.take();
  }

  std::string finding_text() {
    parts_.add("{}: {}", kTool, race_.headline());
    places();
    parts_.add_text(":\n");
    finding();
    return parts_.take();
  }

  /// The text of an entry of `RunReport::unconfirmed`.
  std::string unconfirmed_text() {
    if (rests_on_values(race_)) return candidate_text();
    parts_.add("{}: {}: {}", kTool, race_.excluded ? "excluded" : "unknown", race_.headline());
    places();
    parts_.add("\n  Predicted by {}; ", on_one_line(relation_name(race_.found_by)));
    if (race_.excluded) {
      parts_.add("no schedule of the same run shows it: {}", on_one_line(race_.why));
      if (race_.count > 1) parts_.add("; so for each of the {} pairs of accesses", race_.count);
    } else {
      parts_.add("{} of {} pairs of accesses {} excluded; {}", race_.decided, race_.count,
                 race_.decided == 1 ? "is" : "are", on_one_line(race_.why));
    }
    parts_.add_text(".\n\n");
    return parts_.take();
  }

 private:
  std::string candidate_text() {
    parts_.add("{}: candidate: {}", kTool, race_.headline());
    places();
    parts_.add("\n  Predicted by {}; not confirmed: {}.\n", on_one_line(relation_name(race_.found_by)),
               on_one_line(race_.why));
    if (!race_.schedule.empty()) {
      parts_.add_text("  Its schedule:\n");
      parts_.steps(steps_that_matter(race_));
    }
    changed_reads();
    parts_.add_text("\n");
    return parts_.take();
  }

  void places() {
    parts_.place(Race::place(race_.accesses[0].stack));
    parts_.add_text(" with");
    parts_.place(Race::place(race_.accesses[1].stack));
  }

  void access(const Access& access, bool previous) {
    std::string what(name_in(kAccessKindNames, access.kind));
    if (access.atomic) what = "atomic " + what;
    if (previous) what = "previous " + what;
    what[0] = static_cast<char>(what[0] - 'a' + 'A');
    if (access.size != 0 && access.kind != AccessKind::Free) what += fmt::format(" of size {}", access.size);
    if (access.address != 0) what += fmt::format(" at {:#x}", access.address);
    what += " by " + parts_.who(access.thread);
    for (std::size_t i = 0; i < access.locks.size(); ++i) {
      const HeldLock& lock = access.locks[i];
      what += fmt::format("{}{} {}", i == 0 ? " (mutexes: " : ", ", lock.shared ? "read" : "write",
                          on_one_line(lock.label));
    }
    if (!access.locks.empty()) what += ")";
    parts_.add("  {}\n", parts_.painted(Paint::Heading, what + ":"));
    parts_.stack(access.stack, TextParts::Role::Access);
  }

  void location() {
    const Variable& variable = race_.variable;
    switch (variable.kind) {
      case LocationKind::Global:
        parts_.add("  Location is global {} of size {} at {:#x}", quoted(variable.name, 200), variable.size,
                   variable.address);
        if (!variable.module.empty())
          parts_.add(" ({}+{:#x})", on_one_line(base_name(variable.module)), variable.offset);
        parts_.add_text("\n\n");
        return;
      case LocationKind::Heap:
        parts_.add("  Location is heap block of size {} at {:#x} allocated by {}:\n", variable.size, variable.address,
                   parts_.who(variable.thread.value_or(0)));
        parts_.stack(variable.allocated);
        return;
      case LocationKind::OnStack:
        parts_.add("  Location is stack of {}.\n\n", parts_.who(variable.thread.value_or(0)));
        return;
      case LocationKind::Unknown:
        if (!variable.name.empty()) parts_.add("  Location is {}\n\n", quoted(variable.name, 200));
        return;
    }
  }

  void mutexes() {
    for (const Access& access : race_.accesses) {
      for (const HeldLock& lock : access.locks) {
        std::string head = fmt::format("  Mutex {}", on_one_line(lock.label));
        if (!lock.name.empty()) head += fmt::format(" {}", quoted(lock.name));
        if (lock.address != 0) head += fmt::format(" ({:#x})", lock.address);
        parts_.add("{} {}locked by {} at:\n", head, lock.shared ? "read-" : "", parts_.who(access.thread));
        parts_.stack(lock.acquired);
      }
    }
  }

  void finding() {
    std::string text = race_.observed
                           ? fmt::format("Observed in this run ({})", on_one_line(relation_name(race_.found_by)))
                           : fmt::format("Predicted by {}", on_one_line(relation_name(race_.found_by)));
    if (race_.confirmed && rests_on_values(race_)) {
      text += "; confirmed: the program, led by this schedule, came to both accesses:";
    } else if (race_.confirmed) {
      text += race_.schedule.empty() ? "; confirmed: a schedule of the same run brings both accesses together."
                                     : "; confirmed: this schedule of the same run brings both accesses together:";
    } else if (race_.observed) {
      text += ".";
    } else if (race_.online) {
      text += "; not confirmed: no witness is looked for while the program runs (--record looks for one afterwards).";
    } else {
      text += "; not confirmed: no schedule that shows it was found within the budget.";
    }
    parts_.sentence(text);
    if (race_.confirmed) parts_.steps(steps_that_matter(race_));
    changed_reads();
    replays();
    demonstration();
    if (race_.shown && report_.exploration) {
      parts_.add("  {}", shown_text(*race_.shown, *report_.exploration, report_.command));
    }
    if (race_.count > 1) parts_.add("  {} pairs of accesses at these places race.\n", race_.count);
    if (report_.runs > 1) parts_.add("  Seen in {} of {} runs.\n", race_.origin.runs, report_.runs);
    parts_.remark("Why:", words_.why);
    parts_.remark("Fix:", words_.fix);
    if (parts_.style().explain) {
      for (const std::string& paragraph : words_.more) {
        parts_.add_text("\n");
        parts_.paragraph(paragraph, 2);
      }
    }
    parts_.add_text("\n");
  }

  void replays() {
    if (!race_.replays) return;
    if (race_.replays->runs == 0) {
      parts_.sentence(fmt::format("Not replayed: {}.", on_one_line(race_.replays->diverged)));
      return;
    }
    parts_.add("  Replayed in {} of {} runs of the program.\n", race_.replays->reached, race_.replays->runs);
    if (!race_.replays->diverged.empty()) parts_.sentence("A run " + on_one_line(race_.replays->diverged));
  }

  /// One line per thread and location, after the turned branch if there is one.
  void changed_reads() {
    turned();
    if (race_.changed_reads.empty()) return;
    parts_.add_text("  In this schedule reads return something else than in the recorded run:\n");
    constexpr std::size_t kMost = 8;
    for (std::size_t i = 0; i < race_.changed_reads.size() && i < kMost; ++i) {
      const ChangedRead& read = race_.changed_reads[i];
      parts_.add("    {} reads {}", parts_.label(read.thread), on_one_line(read.variable));
      parts_.place(&read.place);
      parts_.add(": {}", change_words(read));
      if (read.count > 1) parts_.add(" (the first of {} reads)", read.count);
      parts_.add_text("\n");
    }
    if (race_.changed_reads.size() > kMost) {
      parts_.add("    … and {} more\n", counted(race_.changed_reads.size() - kMost, "place", "places"));
    }
  }

  void turned() {
    if (!race_.turned) return;
    parts_.add("  In this schedule {} goes the other way at the branch", parts_.label(race_.turned->thread));
    parts_.place(&race_.turned->place);
    parts_.add(", whose condition {} in the recorded run\n", race_.turned->taken ? "held" : "did not hold");
  }

  void demonstration() {
    if (!race_.demonstration) return;
    const Demonstration& tried = *race_.demonstration;
    if (tried.met) {
      parts_.sentence(fmt::format(
          "Demonstrated: in run {}, two threads stood in front of these accesses at the same time.", tried.runs));
    } else if (tried.runs == 0) {
      parts_.sentence("Predicted only: where the accesses are is not known, so no thread can wait there.");
    } else {
      parts_.sentence(fmt::format("Predicted only: {} did not bring two threads to these accesses at the same time.",
                                  counted(tried.runs, "run", "runs")));
    }
  }

  void summary() {
    const Frame* frame = own_place(race_.accesses[0].stack);
    // A library function without source position says less than the program's own code on the other side.
    if (frame != nullptr && !frame->has_source()) {
      const Frame* other = own_place(race_.accesses[1].stack);
      if (other != nullptr && other->has_source()) frame = other;
    }
    parts_.add("SUMMARY: {}: {}", kTool, race_.headline());
    parts_.place(frame);
    parts_.add_text("\n");
  }

  const Race& race_;
  const RunReport& report_;
  const Explanation words_;
  TextParts parts_;
};

/// Notes on files whose compiler restricted the model, and the results of the models that rest on values.
std::string models_text(const Models& models) {
  std::string text;
  if (!models.without_pass.empty()) {
    std::string files;
    for (const std::string& file : models.without_pass)
      files += (files.empty() ? "" : ", ") + on_one_line(base_name(file));
    text += fmt::format(
        "note: the model is {}: {} {} compiled without omen's compiler pass (GCC 12 and clang 19 have it), so counters "
        "keep their recorded order{}\n",
        models.witnesses, files, models.witnesses == "lw" ? "was" : "has code that was",
        models.witnesses == "lw" ? "" : " there");
  }
  for (const ValueModel& model : models.values) {
    text += fmt::format("{}: model {}: {} of {}, {} undecided (budget {})\n", kTool, model.name,
                        counted(model.races, "race more", "races more"),
                        counted(model.candidates, "pair of places", "pairs of places"), model.undecided, model.budget);
  }
  return text;
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

std::string closing_text(const RunReport& report, std::size_t columns) {
  const auto observed = std::ranges::count_if(report.races, &Race::observed);
  const auto confirmed =
      std::ranges::count_if(report.races, [](const Race& race) { return !race.observed && race.confirmed; });
  std::string text = fmt::format("{}: {}", kTool, counted(report.races.size(), "race", "races"));
  const auto predicted = static_cast<std::ptrdiff_t>(report.races.size()) - observed;
  if (predicted != 0) {
    text += fmt::format(" ({} observed, {} predicted: {} confirmed, {} not)", observed, predicted, confirmed,
                        predicted - confirmed);
  } else if (observed != 0) {
    text += fmt::format(" ({} observed)", observed);
  }
  if (!report.deadlocks.empty()) text += fmt::format(", {}", counted(report.deadlocks.size(), "deadlock", "deadlocks"));
  text += fmt::format(" in {}, {}, {}\n", counted(report.events, "event", "events"),
                      counted(report.threads, "thread", "threads"),
                      counted(report.synchronisations, "synchronisation", "synchronisations"));
  if (report.runs > 1) text.insert(text.size() - 1, fmt::format(", {} runs", report.runs));
  if (report.excluded + report.unknown != 0) {
    text += fmt::format("{}: not reported: {} excluded, {} unknown of {} (--unconfirmed, --budget)\n", kTool,
                        report.excluded, report.unknown,
                        counted(report.excluded + report.unknown, "predicted pair of places that was not confirmed",
                                "predicted pairs of places that were not confirmed"));
    const auto candidates = std::ranges::count_if(report.unconfirmed, rests_on_values);
    if (candidates != 0) {
      text += fmt::format("{}: {} of them rest on values, and the program did not come to them (--show-candidates)\n",
                          kTool, candidates);
    }
  }
  if (!report.exit.signal.empty())
    text += fmt::format("note: the program was ended by {}\n", on_one_line(report.exit.signal));
  if (!report.complete) text += "note: not everything was recorded, so races may be missing\n";
  text += models_text(report.models);
  for (const std::string& note : report.notes) text += fmt::format("note: {}\n", on_one_line(note));
  return fitted(text, columns);
}

std::string as_text(const RunReport& report, const TextStyle& style) {
  std::string text;
  for (const Race& race : report.races) text += race_text(race, report, style);
  for (const Failure& failure : report.failures) text += failure_text(failure, report);
  for (const Deadlock& deadlock : report.deadlocks) text += deadlock_text(deadlock, report, style);
  for (const Race& race : report.unconfirmed) {
    if (style.unconfirmed || (style.candidates && rests_on_values(race))) text += unconfirmed_text(race, style);
  }
  if (!report.exploration) return text + closing_text(report, style.columns) + baseline_text(report);
  return text + exploration_text(*report.exploration, report.races.size(), report.failures.size());
}

}  // namespace omen::report
