/// \file
/// Shortens a witness to a few lines that people can follow.
///
/// A witness may have millions of events. The relevant ones are near its end: the two accesses, the locks held at them,
/// the last synchronisations of both threads, and other threads' synchronisations on the same objects. Consecutive
/// accesses of a thread share one line, and so does an uninterrupted critical section. If there are too many lines, the
/// oldest are dropped.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "report/source_map.hpp"
#include "report/trace_scan.hpp"

namespace omen::report {

/// The line for one event of the trace, with its location. `first` and `last` are 0.
ScheduleStep step_of(const SourceMap& map, std::uint64_t event);

/// `witness` ends with the goals: the pair, or the requests of a deadlock. `held` are the locks that their threads hold
/// there. The result has about `most` lines or fewer.
std::vector<ScheduleStep> short_schedule(const SourceMap& map, std::span<const std::uint32_t> witness,
                                         std::span<const LockHeld> held, std::size_t most, std::size_t goals = 2);

}  // namespace omen::report
