/// \file
/// The store's output on a terminal: the list of races, one race with its history, the trend.
#pragma once

#include <string>
#include <vector>

#include "store/overview.hpp"
#include "store/trend.hpp"

namespace omen::store {

/// One line per race; `all` is the number of races before filtering.
std::string list_text(const std::vector<RaceOverview>& races, std::size_t all);
std::string race_text(const RaceOverview& one, const Snapshot& snapshot);
std::string trend_text(const std::vector<TrendRow>& rows);

}  // namespace omen::store
