/// \file
/// The synchronisation that ordered the two accesses of a predicted race in the recorded run, and so hid the race from
/// happens-before.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.hpp"

namespace omen::report {

/// One chain of happens-before edges from event `first` to event `second` of another thread, as events in trace order:
/// each release is followed by the acquire that reads from it. Empty if nothing orders them, or if they are too far
/// apart. One pass over the events in between. Ignores fences, and does not distinguish the rounds of a barrier.
std::vector<std::uint64_t> hidden_order(const Trace& trace, std::uint64_t first, std::uint64_t second);

}  // namespace omen::report
