/// \file
/// What `omen explore` adds to a report: the failures of runs that its schedules led to, and which run showed what.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "symbolize/frame.hpp"

namespace omen::report {

struct RunReport;

enum class FailureKind : std::uint8_t { Deadlock, LostWakeup, Livelock, Hang, Crash, Assertion, ExitCode };
inline constexpr std::array<std::string_view, 7> kFailureKindNames{"deadlock", "lost-wakeup", "livelock", "hang",
                                                                   "crash",    "assertion",   "exit-code"};
inline constexpr std::array<std::string_view, 7> kFailureHeadlines{"deadlock", "lost wake-up",     "livelock",  "hang",
                                                                   "crash",    "failed assertion", "failed run"};

/// The run that showed a finding first; its seed shows it again.
struct Shown {
  std::uint64_t seed = 0;
  std::uint64_t run = 0;    ///< from 1
  std::uint64_t runs = 0;   ///< that showed it
  std::uint64_t steps = 0;  ///< PCT's k in that run; 0: another strategy

  bool operator==(const Shown&) const = default;
};

/// A thread in a failure: where it was, and what it waited for.
struct FailedThread {
  std::uint32_t id = 0;
  std::string label;                     ///< "main", "T1"
  std::string waits_for;                 ///< "lock", "condition", …; empty: it did not wait
  std::uint64_t object = 0;              ///< its address
  std::optional<std::uint32_t> held_by;  ///< the thread that holds what it waits for
  std::vector<symbolize::Frame> stack;   ///< innermost first

  bool operator==(const FailedThread&) const = default;
};

struct Failure {
  FailureKind kind = FailureKind::Deadlock;
  std::string what;  ///< "SIGSEGV", the assertion, "exit code 1"
  std::vector<FailedThread> threads;
  std::string fingerprint;  ///< the same in every run
  std::optional<Shown> shown;

  bool operator==(const Failure&) const = default;
};

/// All runs together.
struct Exploration {
  std::string strategy;  ///< "pos", "pct", "random"
  std::uint64_t depth = 0;
  std::uint64_t seed = 0;  ///< of the first run; the others count on from it
  std::uint64_t runs = 0;
  std::uint64_t schedules = 0;  ///< different ones
  std::uint64_t points = 0;     ///< scheduling points of all runs
  std::uint64_t released = 0;   ///< runs that went on freely after too many points

  bool operator==(const Exploration&) const = default;
};

/// Kind, text, and the functions of the threads; no addresses, no line numbers.
std::string fingerprint(const Failure& failure);

/// As text, in the layout of a race.
std::string failure_text(const Failure& failure, const RunReport& report);
/// "Shown by run 12 (seed 345) and 3 more runs", and the command that shows it again.
std::string shown_text(const Shown& shown, const Exploration& exploration, const std::vector<std::string>& command);
/// The last line.
std::string exploration_text(const Exploration& exploration, std::size_t races, std::size_t failures);

}  // namespace omen::report
