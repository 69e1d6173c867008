/// \file
/// What `omen explore` adds to a report: failures that a schedule led to, and the runs that showed each finding.
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

/// The first run that showed a finding; its seed shows it again.
struct Shown {
  std::uint64_t seed = 0;
  std::uint64_t run = 0;    ///< from 1
  std::uint64_t runs = 0;   ///< number of runs that showed it
  std::uint64_t steps = 0;  ///< PCT's k in that run; 0: another strategy

  bool operator==(const Shown&) const = default;
};

/// A thread of a failure: its stack, and what it waited for.
struct FailedThread {
  std::uint32_t id = 0;
  std::string label;                     ///< "main", "T1"
  std::string waits_for;                 ///< "lock", "condition", …; empty: it does not wait
  std::uint64_t object = 0;              ///< the address of what it waits for
  std::optional<std::uint32_t> held_by;  ///< the thread that holds it
  std::vector<symbolize::Frame> stack;   ///< innermost first

  bool operator==(const FailedThread&) const = default;
};

struct Failure {
  FailureKind kind = FailureKind::Deadlock;
  std::string what;  ///< "SIGSEGV", the assertion, "exit code 1"
  std::vector<FailedThread> threads;
  std::string fingerprint;  ///< equal in every run with this failure
  std::optional<Shown> shown;

  bool operator==(const Failure&) const = default;
};

/// Totals of all runs.
struct Exploration {
  std::string strategy;  ///< "pos", "pct", "random"
  std::uint64_t depth = 0;
  std::uint64_t seed = 0;  ///< of the first run; run n uses seed + n - 1
  std::uint64_t runs = 0;
  std::uint64_t schedules = 0;  ///< number of distinct ones
  std::uint64_t points = 0;     ///< scheduling points of all runs
  std::uint64_t released = 0;   ///< runs that control released after too many points

  bool operator==(const Exploration&) const = default;
};

/// Hashes kind, text, and the threads' functions, without addresses and line numbers.
std::string fingerprint(const Failure& failure);

/// Text in the layout of a race.
std::string failure_text(const Failure& failure, const RunReport& report);
/// "Shown by run 12 (seed 345); again: omen explore …": the run, and the command that repeats it.
std::string shown_text(const Shown& shown, const Exploration& exploration, const std::vector<std::string>& command);
/// The last line of the report.
std::string exploration_text(const Exploration& exploration, std::size_t races, std::size_t failures);

}  // namespace omen::report
