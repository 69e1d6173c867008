/// \file
/// Schedules of a value trace as schedules of the run's trace, which has the accesses to threads' own memory too.
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
  /// `origin`: of each event of `values`, the event of `trace` that it is, or comes before. All outlive this.
  ValueOrigins(const Trace& trace, const values::ValueTrace& values, const std::vector<std::uint32_t>& origin);

  std::uint32_t of(std::uint32_t event) const { return origin_[event]; }
  /// Where it is, as the value trace says it; empty if that does not have the event.
  std::string text(std::uint64_t event) const;

  /// All that threads do up to these events, these with them.
  std::vector<std::uint32_t> events_of(std::span<const std::uint32_t> schedule) const;
  /// The same, then what comes before the pair, and the pair.
  std::vector<std::uint32_t> witness(std::span<const std::uint32_t> schedule,
                                     const std::vector<std::uint32_t>& pair) const;

  /// Of those accesses that are in the trace.
  std::vector<report::ReadChange> changes(const std::vector<relax::Observed>& accesses) const;

 private:
  const Trace& trace_;
  const values::ValueTrace& values_;
  const std::vector<std::uint32_t>& origin_;
  std::vector<std::vector<std::uint32_t>> events_;  ///< of each thread
};

}  // namespace omen::cli
