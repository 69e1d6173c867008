/// \file
/// From predicted deadlocks of a trace to their descriptions in source terms.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "report/race_report.hpp"
#include "report/replay_plan.hpp"
#include "report/source_map.hpp"

namespace omen::report {

/// A predicted deadlock: each member waits for the next one's thread, the last for the first's.
struct DeadlockCandidate {
  struct Member {
    std::uint64_t request = 0;  ///< an event
    WaitsFor waits = WaitsFor::Lock;
    std::optional<std::uint64_t> holds_since;  ///< the event that took the lock which the member before it wants
  };
  std::vector<Member> members;
  std::vector<std::uint32_t> witness;  ///< the requests last
  std::string method;
  std::string model;
  std::uint64_t count = 1;
};

struct DeadlockStyle {
  std::size_t schedule_lines = 20;
  std::size_t longest_witness = 100'000;  ///< longer ones are not kept, only their length
};

std::vector<Deadlock> build_deadlocks(const SourceMap& map, const ReplayPlanner& planner,
                                      const std::vector<DeadlockCandidate>& candidates, const DeadlockStyle& style);

/// "M0 'left'".
std::string lock_title(const HeldLock& lock);
/// "waits for M1 'right', which T2 holds": `one` is the n-th of the deadlock's threads.
std::string waiting_words(const Deadlock& deadlock, std::size_t n);
/// "T1 waits for M1 'right', which T2 holds, T2 waits for …": all of them.
std::string deadlock_words(const Deadlock& deadlock);

}  // namespace omen::report
