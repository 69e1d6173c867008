/// \file
/// The end of the cascade of `omen run`: the models that rest on values, asked about a run whose program was compiled
/// with --omen-values, after the relations, LW and DATA. What they find is a race only if the program comes to it
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

/// One of the run's files was compiled with --omen-values.
bool records_values(const std::vector<Module>& modules);

/// Starts the interpreter of recorded programs (native/) beside omen. It says itself on standard error what is wrong.
/// Its exit code: 0, or 65. `origins`: where to write which event is which; empty: nowhere.
std::expected<int, InputError> interpret_values(const std::string& raw, const std::string& values,
                                                const std::string& origins = {});

struct RunValues {
  values::ValueTrace trace;
  std::vector<std::uint32_t> origin;  ///< of each of its events: the event of the run's trace
};

/// `raw` is the recording; the files that this needs are made beside it, and removed.
std::expected<RunValues, InputError> values_of(const std::string& raw);

struct ValueSearch {
  relax::Model last = relax::Model::Paths;  ///< of the ladder
  std::uint64_t budget = 2000;              ///< as of `omen relax --budget`
  std::uint64_t jobs = 1;
};

struct FoundByValues {
  /// An access on a path, which the run did not come to, or a lock that its thread has there.
  struct Unrecorded {
    Event event;           ///< but for its location
    std::string location;  ///< "file:line:column"
  };

  std::vector<report::Candidate> races;
  std::vector<Unrecorded> unrecorded;      ///< candidates have them behind the events of a copy of the trace
  std::vector<report::ValueModel> models;  ///< as they were asked
};

/// Asks value, control, relax and paths in turn, each about what none before it has found. `found`: what the run's
/// report has already. The trace outlives what is found.
FoundByValues find_by_values(const Trace& trace, const CaptureInfo& info, RunValues& run,
                             const std::vector<report::Candidate>& found, const ValueSearch& search);

}  // namespace omen::cli
