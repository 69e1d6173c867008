/// \file
/// A trace in the JSON that Perfetto (ui.perfetto.dev) and Chrome (chrome://tracing) show: a lane for each thread, its
/// critical sections as slices, forks and joins, and the races of a report as marked accesses with an arrow between
/// them.
///
/// Time is the position in the trace: one event, one microsecond. Slices of a lane have to nest, which critical
/// sections need not: a section that is left before one inside it is cut there, and the inner one begins anew.
#pragma once

#include <expected>

#include "report/race_report.hpp"
#include "report/source_map.hpp"
#include "trace/error.hpp"
#include "trace/formats/byte_sink.hpp"

namespace omen::report {

/// The report is that of the map's trace.
std::expected<void, InputError> write_perfetto(const SourceMap& map, const RunReport& report, ByteSink& out);

}  // namespace omen::report
