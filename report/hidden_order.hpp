/// \file
/// Why happens-before did not show a predicted race: the synchronisation that ordered the two accesses in this run.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.hpp"

namespace omen::report {

/// The events of one chain of happens-before edges from event `first` to event `second` of another thread, in trace
/// order: each release is followed by the acquire that it reached. Empty if nothing orders them, or if they are too far
/// apart to be worth the time. One pass over the events between the two. Fences are not followed, and rounds of a
/// barrier not told apart.
std::vector<std::uint64_t> hidden_order(const Trace& trace, std::uint64_t first, std::uint64_t second);

}  // namespace omen::report
