/// \file
/// One run of a program under a plan: what the runtime is given (a file named in OMEN_REPLAY), and what it said.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <string>
#include <utility>
#include <vector>

#include "cli/recorded_run.hpp"
#include "report/race_report.hpp"
#include "report/replay_plan.hpp"
#include "trace/error.hpp"

namespace omen::cli {

/// A return address as the path of a module and an offset in it.
using ReplayFrame = std::pair<std::string, std::uint64_t>;

struct ReplayedAccess {
  std::uint32_t thread = 0;
  std::uint64_t system_id = 0;
  bool write = false;
  std::uint64_t bytes = 0;
  std::uint64_t address = 0;
  std::vector<ReplayFrame> stack;
};

/// A thread of a deadlock, where it waits.
struct ReplayedWait {
  std::uint32_t thread = 0;
  std::uint64_t system_id = 0;
  std::vector<ReplayFrame> stack;
};

/// What a run is led to: a race or a deadlock of a report.
struct ReplayGoal {
  explicit ReplayGoal(const report::Race& race);
  explicit ReplayGoal(const report::Deadlock& deadlock)
      : plan(*deadlock.replay), threads(deadlock.threads), name("the deadlock") {}

  std::string label(std::uint32_t thread) const;

  const report::ReplayPlan& plan;
  const std::vector<report::Thread>& threads;
  const char* name;
  /// "file.cpp:12" of an access that the plan cannot name, since no run has come to it; else empty.
  std::array<std::string, 2> places;
};

struct ReplayOutcome {
  enum class End : std::uint8_t {
    Unclaimed,  ///< no instrumented program of that name ran
    Silent,     ///< the program ended before the order did
    Diverged,   ///< a thread did something else than its next step
    Stalled,    ///< nobody made the next step
    Reached,
    NotStuck,  ///< all threads of the deadlock made their requests, and went on
  };
  End end = End::Unclaimed;
  std::vector<ReplayedWait> waits;         ///< of a deadlock, as `Deadlock::waiting`
  bool ended_stuck = false;                ///< no thread of the program could go on; it was ended
  std::array<ReplayedAccess, 2> accesses;  ///< as `Race::accesses`
  std::uint32_t first = 0;                 ///< which of them was made first
  std::string before;                      ///< bytes of the memory, as hexadecimal digits
  std::array<std::string, 2> after;        ///< … behind each of the accesses; empty: not seen
  std::uint64_t step = 0;                  ///< where the order was left
  std::uint32_t thread = 0;                ///< by whom, or who was waited for
  PointKind did = PointKind::None;         ///< what it did instead
  std::string reason;                      ///< of a stall
  std::vector<ReplayFrame> stack;          ///< of the thread that left the order
  ProgramEnd program;
};

struct ReplayRequest {
  const report::ReplayPlan& plan;
  const std::vector<std::string>& command;
  std::uint32_t first = 1;     ///< which of the accesses is made first
  bool quiet = false;          ///< the program has no input, and its output goes nowhere
  bool hold = false;           ///< for a debugger
  std::uint32_t patience = 5;  ///< seconds
};

std::expected<ReplayOutcome, InputError> replay_once(const ReplayRequest& request);

/// What a replay ended with, in a few words for people.
std::string divergence_text(const ReplayOutcome& outcome, const ReplayGoal& goal);

/// `#0 f() file:line:column`, a line each, as far as the modules' files tell.
std::vector<std::string> frame_lines(const std::vector<ReplayFrame>& stack);

/// Runs the program `runs` times.
report::Replays count_replays(const ReplayGoal& goal, const std::vector<std::string>& command, std::uint32_t runs);

}  // namespace omen::cli
