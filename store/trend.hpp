/// \file
/// The history by days, weeks or months: how many runs there were, what they saw, and how many races were open at the
/// end of each period.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/records.hpp"

namespace omen::store {

struct TrendRow {
  std::string from;  ///< the first day
  std::size_t runs = 0;
  std::size_t seen = 0;      ///< different races
  std::size_t fresh = 0;     ///< number of those never seen before
  std::size_t closed = 0;    ///< set to fixed or wontfix
  std::size_t reopened = 0;  ///< seen again after that, or reopened by hand
  std::size_t open = 0;      ///< at the end of the period

  bool operator==(const TrendRow&) const = default;
};

/// A row for each period with at least one event.
std::vector<TrendRow> trend(const Snapshot& snapshot, Period period);

}  // namespace omen::store
