/// \file
/// Collects the earlier accesses that the current one races with, and passes them to the sink in one call.
#pragma once

#include <algorithm>

#include "analysis/memory.hpp"
#include "analysis/race.hpp"

namespace omen {

/// `Host` defines the sink and what a variable is (levels/host.hpp).
template <class Host>
class BasicReporter {
 public:
  using Sink = typename Host::Sink;
  using Variable = typename Host::Variable;

  explicit BasicReporter(Sink& sink) : sink_(sink) {}

  void races_with(Site site, ThreadId thread, bool wrote) { priors_.push_back({site, thread, wrote}); }

  /// Reports the access if it races with anything.
  [[gnu::always_inline]] void report(Site site, ThreadId thread, Variable variable, bool writes) {
    if (!priors_.empty()) [[unlikely]]
      report_now(site, thread, variable, writes);
  }

 private:
  [[gnu::noinline]] void report_now(Site site, ThreadId thread, Variable variable, bool writes) {
    std::ranges::sort(priors_, {}, [](const PriorAccess& prior) { return prior.site.event; });
    sink_.race({site, thread, variable, writes}, priors_);
    priors_.clear();
  }

  Sink& sink_;
  Vector<PriorAccess> priors_;
};

/// Reports the races of a trace.
struct TraceReports {
  using Sink = RaceSink;
  using Variable = VariableId;
};
using Reporter = BasicReporter<TraceReports>;

}  // namespace omen
