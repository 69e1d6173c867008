/// \file
/// Measurements as Markdown tables, and as JSON.
#pragma once

#include <string>
#include <vector>

#include "bench/measure.hpp"

namespace omen::bench {

struct Row {
  std::string pass;
  std::vector<Measurement> runs;
};
using Results = std::vector<Row>;  ///< the pass `kRead` first

/// A row per pass: seconds, events per second, peak memory, ratios to reading and to fto-hb, races.
std::string table(const Results& results);

/// Every run of every pass, in the order of execution: {"passes": [{"pass", "runs": [{"seconds", "peak_mib", "events",
/// "races"}]}]}.
std::string json(const Results& results);

/// A row per pass: time and memory on both traces, and their ratios.
std::string scaling_table(const Results& shorter, const Results& longer);

}  // namespace omen::bench
