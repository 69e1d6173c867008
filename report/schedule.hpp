/// \file
/// A witness as a few lines that a person can follow.
///
/// A witness may have millions of events. What matters stands at its end: the two accesses, the locks that are held
/// there, the last synchronisation of the two threads, and, of other threads, synchronisation on the same objects. A
/// thread's accesses in a row are one line, and so is a critical section that nobody interrupts. Where there are too
/// many lines, the oldest go.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "report/source_map.hpp"
#include "report/trace_scan.hpp"

namespace omen::report {

/// The line for one event of the trace, with its place. `first` and `last` are 0.
ScheduleStep step_of(const SourceMap& map, std::uint64_t event);

/// `witness` ends with the goals: the pair, or the requests of a deadlock. `held` are the locks that their threads hold
/// there. At most about `most` lines.
std::vector<ScheduleStep> short_schedule(const SourceMap& map, std::span<const std::uint32_t> witness,
                                         std::span<const LockHeld> held, std::size_t most, std::size_t goals = 2);

}  // namespace omen::report
