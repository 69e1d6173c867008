/// \file
/// Collects the earlier accesses that the current one races with, and passes them to the sink in one call.
#pragma once

#include <algorithm>

#include "analysis/memory.hpp"
#include "analysis/race.hpp"

namespace omen {

class Reporter {
 public:
  explicit Reporter(RaceSink& sink) : sink_(sink) {}

  void races_with(Site site, ThreadId thread, bool wrote) { priors_.push_back({site, thread, wrote}); }

  /// Reports the access if it races with anything.
  [[gnu::always_inline]] void report(Site site, ThreadId thread, VariableId variable, bool writes) {
    if (!priors_.empty()) [[unlikely]]
      report_now(site, thread, variable, writes);
  }

 private:
  [[gnu::noinline]] void report_now(Site site, ThreadId thread, VariableId variable, bool writes) {
    std::ranges::sort(priors_, {}, [](const PriorAccess& prior) { return prior.site.event; });
    sink_.race({site, thread, variable, writes}, priors_);
    priors_.clear();
  }

  RaceSink& sink_;
  Vector<PriorAccess> priors_;
};

}  // namespace omen
