/// \file
/// The last steps of `omen run`: the models that rest on values, for a program that was compiled with --omen-values,
/// after the relations, LW and DATA. Their predictions are races only if a run of the program reaches them
/// (cli/executed_candidates.hpp).
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "relax/model.hpp"
#include "report/build_report.hpp"
#include "trace/capture_info.hpp"
#include "trace/error.hpp"
#include "trace/trace.hpp"
#include "trace/values/value_trace.hpp"

namespace omen::cli {

/// True if one of the run's files was compiled with --omen-values.
bool records_values(const std::vector<Module>& modules);

/// Runs the interpreter of recorded programs (native/), which prints its errors to standard error. Returns its exit
/// code, 0 or 65. `origins`: the file for the origin of each event; empty: none.
std::expected<int, InputError> interpret_values(const std::string& raw, const std::string& values,
                                                const std::string& origins = {});

struct RunValues {
  values::ValueTrace trace;
  std::vector<std::uint32_t> origin;  ///< for each of its events the event of the run's trace
};

/// `raw` is the recording. Creates temporary files beside it, and removes them.
std::expected<RunValues, InputError> values_of(const std::string& raw);

struct ValueSearch {
  relax::Model last = relax::Model::Paths;  ///< the last model to ask
  std::uint64_t budget = 2000;              ///< as in `omen relax --budget`
  std::uint64_t jobs = 1;
};

struct FoundByValues {
  /// An access on a path that the run did not take, or a lock that its thread holds there.
  struct Unrecorded {
    Event event;           ///< without its location
    std::string location;  ///< "file:line:column"
  };

  std::vector<report::Candidate> races;
  std::vector<Unrecorded> unrecorded;      ///< the candidates' events, to be appended to a copy of the trace
  std::vector<report::ValueModel> models;  ///< in the order in which they were asked
};

/// Asks value, control, relax and paths in turn; each omits what an earlier one has found. `found`: the report's
/// findings so far. The trace must outlive the result.
FoundByValues find_by_values(const Trace& trace, const CaptureInfo& info, RunValues& run,
                             const std::vector<report::Candidate>& found, const ValueSearch& search);

}  // namespace omen::cli
