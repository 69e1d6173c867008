/// \file
/// One pass over a trace for several analyses: each block is read once and passed to all of them, in parallel if there
/// are several cores. An analysis sees all blocks in order, and two threads never run the same one at once.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <vector>

#include "analysis/registry.hpp"
#include "trace/source.hpp"

namespace omen {

struct PassResult {
  std::uint64_t events = 0;
  std::vector<double> seconds;  ///< spent inside each analysis
};

/// Called after each block with the events so far and the source's progress.
using PassProgress = std::function<void(std::uint64_t events, double fraction)>;

/// `source` must be validated. Uses at most `workers` threads; with 1, everything runs in the calling thread.
std::expected<PassResult, InputError> run_pass(EventSource& source,
                                               const std::vector<std::unique_ptr<AnyAnalysis>>& analyses,
                                               unsigned workers, const PassProgress& progress);

}  // namespace omen
