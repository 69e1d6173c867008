/// \file
/// How often each case of each analysis fired, in the terms of SmartTrack's Tables 4 and 11.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analysis/rules.hpp"

namespace omen::report {

struct CountedAnalysis {
  std::string name;
  RuleCounters counters;
};

std::string counters_as_text(const std::vector<CountedAnalysis>& analyses);
nlohmann::ordered_json counters_as_json(const std::vector<CountedAnalysis>& analyses);

}  // namespace omen::report
