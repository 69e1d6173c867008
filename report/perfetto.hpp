/// \file
/// A trace as JSON for Perfetto (ui.perfetto.dev) and Chrome (chrome://tracing): a lane per thread, critical sections
/// as slices, forks and joins, and a report's races as marked accesses connected by an arrow.
///
/// Time is the position in the trace: one event is one microsecond. Slices of a lane must nest, but critical sections
/// may overlap: if an outer section ends first, the slices inside it end there and begin again.
#pragma once

#include <expected>

#include "report/race_report.hpp"
#include "report/source_map.hpp"
#include "trace/error.hpp"
#include "trace/formats/byte_sink.hpp"

namespace omen::report {

/// `report` must be about the map's trace.
std::expected<void, InputError> write_perfetto(const SourceMap& map, const RunReport& report, ByteSink& out);

}  // namespace omen::report
