/// \file
/// The facts that a report needs from one pass over the whole trace.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "trace/trace.hpp"

namespace omen::report {

struct LockHeld {
  LockId lock{};
  bool shared = false;
  std::uint64_t acquired = 0;  ///< the event that began the section
  std::uint32_t depth = 1;
};

struct TraceScan {
  std::uint64_t synchronisations = 0;                             ///< number of events that order threads, or may
  std::vector<bool> finished;                                     ///< by thread: true if it ended or was joined
  std::unordered_map<std::uint64_t, std::vector<LockHeld>> held;  ///< at the requested events
};

/// True if the operation involves a lock, a thread, a barrier, an atomic or a fence.
bool is_synchronisation(Op op);

/// `events` are positions in the trace, in any order.
TraceScan scan(const Trace& trace, std::span<const std::uint64_t> events);

}  // namespace omen::report
