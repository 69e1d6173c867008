/// \file
/// A race sink that stores every race, in trace order.
#pragma once

#include <span>
#include <vector>

#include "analysis/race.hpp"

namespace omen {

class RaceList final : public RaceSink {
 public:
  struct Entry {
    RacyAccess access;
    std::size_t first_prior;
    std::size_t prior_count;
  };

  void race(const RacyAccess& access, std::span<const PriorAccess> priors) override {
    entries_.push_back({access, priors_.size(), priors.size()});
    priors_.insert(priors_.end(), priors.begin(), priors.end());
  }

  const std::vector<Entry>& entries() const { return entries_; }
  std::span<const PriorAccess> priors(const Entry& entry) const {
    return std::span(priors_).subspan(entry.first_prior, entry.prior_count);
  }

 private:
  std::vector<Entry> entries_;
  std::vector<PriorAccess> priors_;
};

}  // namespace omen
