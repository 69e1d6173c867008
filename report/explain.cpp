#include "report/explain.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "report/frames.hpp"
#include "trace/quote.hpp"

namespace omen::report {
namespace {

/// Most steps that a sentence lists; of more it names only the first and the last.
constexpr std::size_t kMostSteps = 4;
/// Objects up to this size can be atomic without a lock.
constexpr std::uint64_t kAtomicBytes = 8;

std::string at_place(const Stack& stack) {
  const Frame* const frame = own_place(stack);
  const std::string name = frame == nullptr ? std::string() : place_name(*frame);
  return name.empty() ? name : (frame->has_source() ? " at " : " in ") + on_one_line(name);
}

std::string_view passive(AccessKind kind) {
  constexpr std::array<std::string_view, 3> kWords{"read", "written", "freed"};
  return kWords[static_cast<std::size_t>(kind)];
}

/// The offset in the variable at which the accesses begin to overlap.
std::uint64_t offset_in_variable(const Race& race) {
  const std::uint64_t address = std::max(race.accesses[0].address, race.accesses[1].address);
  const Variable& variable = race.variable;
  const bool is_inside = variable.address != 0 && address > variable.address;
  return is_inside && address - variable.address < variable.size ? address - variable.address : 0;
}

std::string what(const Race& race) {
  const Access& later = race.accesses[0];
  const Access& earlier = race.accesses[1];
  std::string text = subject(race) + " is ";
  const std::string first = at_place(later.stack);
  const std::string second = at_place(earlier.stack);
  if (race.kind == RaceKind::UseAfterFree && earlier.kind == AccessKind::Free) {
    return text + fmt::format("freed{} and then {}{}", second, passive(later.kind), first);
  }
  if (later.kind == earlier.kind && first == second)
    return text + fmt::format("{}{} by two threads at once", passive(later.kind), first);
  text += fmt::format("{}{} and ", passive(later.kind), first);
  if (later.kind != earlier.kind) {
    text += passive(earlier.kind);
    text += second;
  } else {
    text += second.starts_with(' ') ? second.substr(1) : second;
  }
  if (text.ends_with("and ")) text += "by another thread";
  return text;
}

std::string step_words(const Race& race, const ScheduleStep& step) {
  std::string text = step.thread ? thread_label(race, *step.thread) + " " : "";
  text += on_one_line(step.text);
  if (!step.file.empty()) text += fmt::format(" at {}:{}", on_one_line(base_name(step.file)), step.line);
  return text;
}

std::string why(const Race& race) {
  if (race.kind == RaceKind::UseAfterFree && race.observed) {
    return race.accesses[1].kind == AccessKind::Free ? "This run shows it: the memory was used after it was freed."
                                                     : "This run shows it: nothing made the free wait for the access.";
  }
  if (race.observed) return "This run shows it: nothing ordered the two accesses.";
  if (race.hidden_by.empty()) return "In this run, synchronisation ordered the two accesses.";
  std::vector<std::string> steps;
  for (const ScheduleStep& step : race.hidden_by) steps.push_back(step_words(race, step));
  if (steps.size() > kMostSteps) {
    const std::size_t hidden = steps.size() - 2;
    steps = {steps.front(), fmt::format("{} more steps", hidden), steps.back()};
  }
  return fmt::format("This run ordered the two accesses: {}.", fmt::join(steps, ", then "));
}

std::string lock_words(const HeldLock& lock) {
  const std::string label = on_one_line(lock.label);
  return lock.name.empty() ? label : fmt::format("{} {}", label, quoted(lock.name));
}

std::string locks_words(const Access& access) {
  std::vector<std::string> names;
  for (const HeldLock& lock : access.locks) names.push_back(lock_words(lock));
  return fmt::format("{}", fmt::join(names, ", "));
}

/// "A, B and C".
std::string listed(const std::vector<std::string>& names) {
  if (names.size() < 2) return names.empty() ? std::string() : names.front();
  const std::span all(names);
  return fmt::format("{} and {}", fmt::join(all.first(names.size() - 1), ", "), names.back());
}

/// A lock that both accesses hold, one of them for reading although it writes.
const HeldLock* common_lock(const Race& race) {
  for (const Access& access : race.accesses) {
    for (const HeldLock& lock : access.locks) {
      const Access& other = race.accesses[&access == race.accesses.data() ? 1 : 0];
      const bool both = std::ranges::find(other.locks, lock.label, &HeldLock::label) != other.locks.end();
      if (both && lock.shared && access.kind == AccessKind::Write) return &lock;
    }
  }
  return nullptr;
}

std::string guard(const Race& race) {
  const Access& later = race.accesses[0];
  const Access& earlier = race.accesses[1];
  if (const HeldLock* const lock = common_lock(race)) {
    return fmt::format("Take {} for writing where the memory is written", lock_words(*lock));
  }
  if (later.locks.empty() && earlier.locks.empty()) return "Hold one mutex at both accesses (neither holds any)";
  if (!later.locks.empty() && !earlier.locks.empty()) {
    return fmt::format("Hold one mutex at both accesses (the {}{} holds {}, the {}{} {})",
                       name_in(kAccessKindNames, later.kind), at_place(later.stack), locks_words(later),
                       name_in(kAccessKindNames, earlier.kind), at_place(earlier.stack), locks_words(earlier));
  }
  const Access& guarded = later.locks.empty() ? earlier : later;
  return fmt::format("Hold one mutex at both accesses (only the {}{} holds one, {})",
                     name_in(kAccessKindNames, guarded.kind), at_place(guarded.stack), locks_words(guarded));
}

std::string fix(const Race& race) {
  switch (race.kind) {
    case RaceKind::UseAfterFree:
      return "Join the threads that use the memory before it is freed, or let them share its ownership "
             "(std::shared_ptr).";
    case RaceKind::VptrRace:
      return "Let other threads reach the object only after its constructor, and join them before its destructor.";
    case RaceKind::DataRace:
      break;
  }
  const bool one_atomic = race.accesses[0].atomic != race.accesses[1].atomic;
  if (one_atomic) return "Make the other access atomic as well.";
  std::string text = guard(race);
  const bool small = std::ranges::all_of(
      race.accesses, [](const Access& access) { return access.size != 0 && access.size <= kAtomicBytes; });
  // The program cannot make atomic what a container stores internally.
  const bool own = std::ranges::none_of(
      race.accesses, [](const Access& access) { return !access.stack.empty() && is_system(access.stack.front()); });
  const bool is_whole = race.variable.size <= kAtomicBytes && offset_in_variable(race) == 0;
  if (small && race.variable.kind == LocationKind::Global && is_whole) {
    text += fmt::format(", or make {} atomic", subject(race));
  } else if (small && own && race.variable.kind != LocationKind::Unknown) {
    text += ", or make both accesses atomic";
  }
  return text + ".";
}

std::vector<std::string> more(const Race& race) {
  std::vector<std::string> texts{std::string(words_of(race.kind).help)};
  const std::string relation(relation_name(race.found_by));
  if (race.observed) {
    texts.push_back(
        "Observed: in the recorded run itself no synchronisation orders the two accesses (happens-before leaves them "
        "unordered). The C and C++ standards call that a data race, and the program's behaviour is undefined.");
  } else {
    texts.push_back(fmt::format(
        "Predicted: happens-before orders the two accesses in the recorded run, so that run does not show the race. "
        "A weaker order ({}), in which two critical sections of one lock are ordered only if they conflict, leaves "
        "them "
        "unordered.",
        on_one_line(relation)));
  }
  if (race.confirmed) {
    texts.push_back(
        "Confirmed: there is a schedule of the same events in which the two accesses come next to each other. Each "
        "thread does in it what it did in the recorded run, each read reads from the same write, and locks exclude "
        "each "
        "other. An independent checker has accepted it.");
  } else if (race.online) {
    texts.push_back(
        "Not confirmed: no schedule is looked for while the program runs. `omen run --online --record`, or "
        "`omen run` without --online, looks for one.");
  } else if (!race.observed) {
    texts.push_back("Not confirmed: no schedule that shows it was found within the budget (--budget).");
  }
  if (race.replay) {
    texts.push_back(
        "See it happen: `omen run --json r.json -- PROGRAM`, then `omen replay r.json -- PROGRAM` runs the "
        "program under this schedule; --gdb stops it with both threads at their accesses.");
  }
  return texts;
}

}  // namespace

Certainty certainty(const Race& race) {
  if (race.excluded) return Certainty::Excluded;
  if (race.observed) return Certainty::Observed;
  return race.confirmed ? Certainty::Confirmed : Certainty::Predicted;
}

std::string certainty_words(const Race& race) {
  std::string text(name_in(kCertaintyWords, certainty(race)));
  if (race.replays && race.replays->reached != 0) text += ", replayed";
  return text;
}

std::string short_subject(const Race& race) {
  if (race.variable.kind == LocationKind::OnStack) return "the " + subject(race);
  if (race.variable.kind != LocationKind::Heap) return {};
  const std::uint64_t offset = race.kind == RaceKind::UseAfterFree ? 0 : offset_in_variable(race);
  return offset == 0 ? "the heap block" : fmt::format("byte {} of the heap block", offset);
}

std::string subject(const Race& race) {
  const Variable& variable = race.variable;
  const std::uint64_t offset = offset_in_variable(race);
  switch (variable.kind) {
    case LocationKind::Global:
      return quoted(variable.name, 200) + (offset == 0 ? "" : fmt::format("+{}", offset));
    case LocationKind::Heap: {
      const bool is_whole = offset == 0 || race.kind == RaceKind::UseAfterFree;
      return fmt::format("{}heap block of {} byte{}", is_whole ? "" : fmt::format("byte {} of a ", offset),
                         variable.size, variable.size == 1 ? "" : "s");
    }
    case LocationKind::OnStack:
      return "variable on the stack of " + thread_label(race, variable.thread.value_or(0));
    case LocationKind::Unknown:
      break;
  }
  if (!variable.name.empty() && !variable.name.starts_with("0x")) return quoted(variable.name, 200);
  return variable.address != 0 ? fmt::format("memory at {:#x}", variable.address) : "memory";
}

std::string thread_label(const Race& race, std::uint32_t id) {
  const Thread* const thread = race.thread(id);
  return thread != nullptr ? on_one_line(thread->label) : fmt::format("T{}", id);
}

Explanation explain(const Race& race) {
  return {what(race), why(race), fix(race), more(race)};
}

Explanation explain(const Deadlock& deadlock) {
  std::vector<std::string> who;
  std::vector<std::string> locks;
  bool all_wait_for_locks = true;
  for (const WaitingThread& one : deadlock.waiting) {
    const Thread* const thread = deadlock.thread(one.thread);
    who.push_back(thread == nullptr ? fmt::format("T{}", one.thread) : on_one_line(thread->label));
    if (one.holds) locks.push_back(lock_words(*one.holds));
    all_wait_for_locks &= one.waits == WaitsFor::Lock;
  }
  const std::string held = listed(locks);
  Explanation words;
  words.why = who.size() == 1 ? "This run did not come to this place with the lock held."
                              : "In this run the threads did not come to these places at the same time.";
  if (who.size() == 1) {
    words.what = fmt::format("{} waits for what it holds itself", who.front());
    words.fix = fmt::format("Do not lock {} again in the section that holds it.", held);
  } else {
    words.what = fmt::format("{} wait for each other", listed(who));
    if (all_wait_for_locks) words.what += fmt::format("'s locks, {}", held);
    words.fix = all_wait_for_locks ? fmt::format("Lock {} in one order everywhere, or {} (std::scoped_lock).", held,
                                                 locks.size() == 2 ? "both at once" : "all at once")
                                   : fmt::format("Unlock {} before waiting for a thread that may need {}.", held,
                                                 locks.size() == 1 ? "it" : "them");
  }
  return words;
}

}  // namespace omen::report
