/// \file
/// Distinct races: one entry per pair of source locations, whichever of the two came first, with a count and the first
/// example. Memory grows with distinct pairs, not with races.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analysis/race.hpp"

namespace omen {

struct DistinctRace {
  PriorAccess earlier;  ///< the first example
  RacyAccess later;
  std::uint64_t count = 0;  ///< racy accesses that had this pair among their pairs
};

class DistinctRaces final : public RaceSink {
 public:
  void race(const RacyAccess& access, std::span<const PriorAccess> priors) override {
    ++racy_accesses_;
    for (const PriorAccess& prior : priors) {
      const auto [entry, is_new] = index_.try_emplace(key(prior.site.location, access.site.location), races_.size());
      if (is_new) races_.push_back({prior, access, 0});
      ++races_[entry->second].count;
    }
  }

  /// In the order of their first occurrence.
  const std::vector<DistinctRace>& races() const { return races_; }
  std::uint64_t racy_accesses() const { return racy_accesses_; }

  /// The same for both orders of the locations.
  static std::uint64_t key(LocationId a, LocationId b) {
    const auto low = static_cast<std::uint32_t>(std::min(a, b));
    const auto high = static_cast<std::uint32_t>(std::max(a, b));
    return (std::uint64_t{high} << 32) | low;
  }

 private:
  std::vector<DistinctRace> races_;
  std::unordered_map<std::uint64_t, std::size_t> index_;
  std::uint64_t racy_accesses_ = 0;
};

}  // namespace omen
