/// \file
/// Epochs: one access of one thread, c@t in the papers (FastTrack; SmartTrack §4.1).
#pragma once

#include <cstdint>

#include "trace/ids.hpp"

namespace omen {

/// A thread's local time. It starts at 1, so 0 is "before everything". 2^32 - 1 synchronisation operations of one
/// thread are the limit; `VectorClock::tick` checks it.
using Time = std::uint32_t;

/// The thread of "no access yet": no thread of a trace has this id, so no ownership test matches it.
inline constexpr ThreadId kNobody{0xFFFF'FFFEU};

struct Epoch {
  Time time = 0;
  ThreadId thread = kNobody;

  bool is_none() const { return time == 0; }
  bool operator==(const Epoch&) const = default;  // no <: the order of epochs is partial, and known only to clocks
};
static_assert(sizeof(Epoch) == 8, "an epoch is one machine word in every variable's state");

}  // namespace omen
