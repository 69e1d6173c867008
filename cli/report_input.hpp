/// \file
/// Where a report comes from: the JSON of an earlier one, or a trace, which is analysed as `omen run` analyses a
/// recording.
#pragma once

#include <expected>
#include <string>

#include "cli/run_parts.hpp"
#include "trace/error.hpp"
#include "trace/formats/format.hpp"

namespace omen::cli {

struct ReportInput {
  report::RunReport report;
  report::RunOptions options;  ///< of a trace: those of its program, and of the environment
  std::string suppressions;    ///< that the program of a trace brings
  bool is_trace = false;
};

/// `arguments` say how a trace is analysed.
std::expected<ReportInput, InputError> read_report(const std::string& path, const RunArguments& arguments);

/// A whole trace, and what its recorder knew; of another trace nothing.
struct WholeTrace {
  Trace trace;
  CaptureInfo info;
};
std::expected<WholeTrace, InputError> whole_trace_of(const std::string& path, Format format = Format::Auto);

/// A recorded trace: what was found in the run. Of another trace the same, in its own names.
std::expected<ReportInput, InputError> report_of_trace(Trace& trace, const CaptureInfo& info,
                                                       const RunArguments& arguments);

}  // namespace omen::cli
