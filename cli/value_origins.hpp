/// \file
/// Maps schedules of a value trace to schedules of the run's trace, which also has the accesses to thread-local memory.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "relax/replay.hpp"
#include "report/changed_reads.hpp"
#include "trace/trace.hpp"
#include "trace/values/value_trace.hpp"

namespace omen::cli {

class ValueOrigins {
 public:
  /// `origin`: for each event of `values` the event of `trace` that it is, or that it precedes. All must outlive this
  /// object.
  ValueOrigins(const Trace& trace, const values::ValueTrace& values, const std::vector<std::uint32_t>& origin);

  std::uint32_t of(std::uint32_t event) const { return origin_[event]; }
  /// The event's location in the value trace; empty if that does not have the event.
  std::string text(std::uint64_t event) const;

  /// All events of the threads up to and including the schedule's events.
  std::vector<std::uint32_t> events_of(std::span<const std::uint32_t> schedule) const;
  /// The same, then the events before the pair, and the pair.
  std::vector<std::uint32_t> witness(std::span<const std::uint32_t> schedule,
                                     const std::vector<std::uint32_t>& pair) const;

  /// The changed values among accesses of the trace.
  std::vector<report::ReadChange> changes(const std::vector<relax::Observed>& accesses) const;

 private:
  const Trace& trace_;
  const values::ValueTrace& values_;
  const std::vector<std::uint32_t>& origin_;
  std::vector<std::vector<std::uint32_t>> events_;  ///< by thread
};

}  // namespace omen::cli
