/// \file
/// Reads a report: the JSON of an earlier one, or a trace, which is analysed as `omen run` analyses a recording.
#pragma once

#include <expected>
#include <string>

#include "cli/run_parts.hpp"
#include "trace/error.hpp"
#include "trace/formats/format.hpp"

namespace omen::cli {

struct ReportInput {
  report::RunReport report;
  report::RunOptions options;  ///< of a trace: its program's and the environment's
  std::string suppressions;    ///< the suppressions that the trace's program defines
  bool is_trace = false;
};

/// `arguments` say how to analyse a trace.
std::expected<ReportInput, InputError> read_report(const std::string& path, const RunArguments& arguments);

/// A whole trace and its recorder's data; empty data for another trace.
struct WholeTrace {
  Trace trace;
  CaptureInfo info;
};
std::expected<WholeTrace, InputError> whole_trace_of(const std::string& path, Format format = Format::Auto);

/// Analyses a trace. Without a recorder's data the report uses the trace's own names.
std::expected<ReportInput, InputError> report_of_trace(Trace& trace, const CaptureInfo& info,
                                                       const RunArguments& arguments);

}  // namespace omen::cli
