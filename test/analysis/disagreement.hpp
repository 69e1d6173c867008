/// \file
/// Compares an analysis with the definition of its relation, on one trace.
#pragma once

#include <algorithm>
#include <sstream>
#include <string>

#include "analysis/race_list.hpp"
#include "analysis/registry.hpp"
#include "test/judges/relation_oracle.hpp"
#include "trace/trace.hpp"

namespace omen {

inline RaceList run(const AnalysisInfo& info, const Trace& trace, const Tuning& tuning) {
  RaceList races;
  info.make(races, tuning)->run(trace.events);
  return races;
}

/// Empty if the analysis agrees with the definition, else a description of the difference.
inline std::string disagreement(const AnalysisInfo& info, const Trace& trace, const judges::Verdicts& truth,
                                const Tuning& tuning) {
  const RaceList races = run(info, trace, tuning);
  std::ostringstream why;
  const bool found = !races.entries().empty();
  if (found != truth.first.has_value() || (found && index(races.entries().front().access.site.event) != *truth.first)) {
    why << "first race at " << (found ? std::to_string(index(races.entries().front().access.site.event)) : "none")
        << ", by the definition at " << (truth.first ? std::to_string(*truth.first) : "none");
    return why.str();
  }
  // After the first race only the unoptimised level is exact: it reports exactly the definition's racy accesses.
  const bool exact = info.level == "unopt";
  const std::size_t judged = exact ? races.entries().size() : std::min<std::size_t>(1, races.entries().size());
  for (std::size_t i = 0; i < judged; ++i) {
    const auto& entry = races.entries()[i];
    for (const PriorAccess& prior : races.priors(entry)) {
      const judges::Pair pair{index(prior.site.event), index(entry.access.site.event)};
      if (std::ranges::find(truth.pairs, pair) == truth.pairs.end()) {
        why << "reports the pair " << pair.first << ", " << pair.second << ", which the definition orders";
        return why.str();
      }
      const Event& earlier = trace.events[pair.first];
      if (earlier.thread != prior.thread || is_write(earlier.op) != prior.wrote ||
          earlier.location != prior.site.location) {
        why << "describes event " << pair.first << " wrongly";
        return why.str();
      }
    }
  }
  if (exact) {
    std::vector<std::size_t> racy;
    for (const auto& entry : races.entries()) racy.push_back(index(entry.access.site.event));
    if (racy != truth.racy_events) return "its set of racy accesses is not the definition's";
  }
  return {};
}

}  // namespace omen
