/// \file
/// Confirming a prediction without a record: the program runs again, and a thread that comes to one of the two places
/// waits there for another one to come to the other (capture/runtime/schedule/confirm/).
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "report/race_report.hpp"

namespace omen::cli {

/// Runs the program until both threads have met, `runs` times at most. Each run may take `longest`. The runs have no
/// input, and their output goes nowhere.
report::Demonstration demonstrate(const report::Race& race, const std::vector<std::string>& command, std::uint32_t runs,
                                  std::chrono::milliseconds longest);

}  // namespace omen::cli
