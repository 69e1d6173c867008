/// \file
/// Converts predicted deadlocks of a trace to descriptions in source terms.
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
    std::uint64_t request = 0;  ///< the event that the thread cannot execute
    WaitsFor waits = WaitsFor::Lock;
    std::optional<std::uint64_t> holds_since;  ///< the event that acquired the lock that the previous member requests
  };
  std::vector<Member> members;
  std::vector<std::uint32_t> witness;  ///< the requests last
  std::string method;
  std::string model;
  std::uint64_t count = 1;
};

struct DeadlockStyle {
  std::size_t schedule_lines = 20;
  std::size_t longest_witness =
      100'000;  ///< of a witness that the report contains; of a longer one it has only the length
};

std::vector<Deadlock> build_deadlocks(const SourceMap& map, const ReplayPlanner& planner,
                                      const std::vector<DeadlockCandidate>& candidates, const DeadlockStyle& style);

/// "M0 'left'".
std::string lock_title(const HeldLock& lock);
/// "waits for M1 'right', which T2 holds": the n-th waiting thread.
std::string waiting_words(const Deadlock& deadlock, std::size_t n);
/// "T1 waits for M1 'right', which T2 holds, T2 waits for …": all waiting threads.
std::string deadlock_words(const Deadlock& deadlock);

}  // namespace omen::report
