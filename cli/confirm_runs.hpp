/// \file
/// Confirms a prediction without a record: runs the program again, where a thread that reaches one of the two places
/// waits there for another thread to reach the other (capture/runtime/schedule/confirm/).
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "report/race_report.hpp"

namespace omen::cli {

/// Runs the program at most `runs` times, until two threads have met. Each run may take `longest`. The runs have no
/// input, and their output is discarded.
report::Demonstration demonstrate(const report::Race& race, const std::vector<std::string>& command, std::uint32_t runs,
                                  std::chrono::milliseconds longest);

}  // namespace omen::cli
