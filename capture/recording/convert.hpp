/// \file
/// Converts a raw recording to a trace in a file.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>

#include "capture/recording/recorded_run.hpp"
#include "trace/capture_info.hpp"
#include "trace/error.hpp"

namespace omen::recording {

struct Converted {
  std::uint64_t events = 0;
  std::uint64_t synchronisations = 0;
  std::uint64_t threads = 0;
  bool complete = true;  ///< recording did not stop before the program
  CaptureInfo info;
};

/// Writes the trace of `raw` to `omen`. The file appears complete or not at all.
std::expected<Converted, InputError> convert(const std::string& raw, const std::string& omen,
                                             const std::optional<ProcessEnd>& end = {});

/// Writes the trace of `run` to `omen`, and passes each block to `also` after it is written.
std::expected<Converted, InputError> convert(RecordedRun& run, const std::string& omen,
                                             const RecordedRun::Take& also = {},
                                             const std::optional<ProcessEnd>& end = {});

}  // namespace omen::recording
