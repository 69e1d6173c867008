/// \file
/// One run of a program under a plan: writes the plan (a file named in OMEN_REPLAY), and reads the log of the runtime.
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

/// A return address as module path and offset.
using ReplayFrame = std::pair<std::string, std::uint64_t>;

struct ReplayedAccess {
  std::uint32_t thread = 0;
  std::uint64_t system_id = 0;
  bool write = false;
  std::uint64_t bytes = 0;
  std::uint64_t address = 0;
  std::vector<ReplayFrame> stack;
};

/// A thread of a deadlock, at its request.
struct ReplayedWait {
  std::uint32_t thread = 0;
  std::uint64_t system_id = 0;
  std::vector<ReplayFrame> stack;
};

/// The goal of a run: a race or a deadlock of a report.
struct ReplayGoal {
  explicit ReplayGoal(const report::Race& race);
  explicit ReplayGoal(const report::Deadlock& deadlock)
      : plan(*deadlock.replay), threads(deadlock.threads), name("the deadlock") {}

  std::string label(std::uint32_t thread) const;

  const report::ReplayPlan& plan;
  const std::vector<report::Thread>& threads;
  const char* name;
  /// "file.cpp:12" for an access that no run has reached, which the plan cannot name; otherwise empty.
  std::array<std::string, 2> places;
};

struct ReplayOutcome {
  enum class End : std::uint8_t {
    Unclaimed,  ///< no instrumented program of that name ran
    Silent,     ///< the program ended before the order was complete
    Diverged,   ///< a thread did something other than its next step
    Stalled,    ///< no thread made the next step
    Reached,
    NotStuck,  ///< all threads of the deadlock made their requests, and continued
  };
  End end = End::Unclaimed;
  std::vector<ReplayedWait> waits;         ///< in the order of `Deadlock::waiting`
  bool ended_stuck = false;                ///< no thread of the program could continue; omen killed it
  std::array<ReplayedAccess, 2> accesses;  ///< in the order of `Race::accesses`
  std::uint32_t first = 0;                 ///< the access that was executed first
  std::string before;                      ///< bytes of the memory in hexadecimal digits
  std::array<std::string, 2> after;        ///< … after each of the accesses; empty: not seen
  std::uint64_t step = 0;                  ///< the step at which the order was left
  std::uint32_t thread = 0;                ///< the thread that left it, or that was waited for
  PointKind did = PointKind::None;         ///< its operation in place of the step
  std::string reason;                      ///< of a stall
  std::vector<ReplayFrame> stack;          ///< of that thread
  ProgramEnd program;
};

struct ReplayRequest {
  const report::ReplayPlan& plan;
  const std::vector<std::string>& command;
  std::uint32_t first = 1;     ///< the access to execute first
  bool quiet = false;          ///< the program has no input, and its output is discarded
  bool hold = false;           ///< for a debugger
  std::uint32_t patience = 5;  ///< seconds
};

std::expected<ReplayOutcome, InputError> replay_once(const ReplayRequest& request);

/// The result of a failed replay, in a few words.
std::string divergence_text(const ReplayOutcome& outcome, const ReplayGoal& goal);

/// `#0 f() file:line:column`, one line per frame, as far as the modules' files tell.
std::vector<std::string> frame_lines(const std::vector<ReplayFrame>& stack);

/// Replays `runs` times.
report::Replays count_replays(const ReplayGoal& goal, const std::vector<std::string>& command, std::uint32_t runs);

}  // namespace omen::cli
