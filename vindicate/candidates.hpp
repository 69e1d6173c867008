/// \file
/// Which pairs are worth confirming: those that an analysis reports, every racing pair of its relation, or all
/// conflicting pairs.
///
/// Candidates come in groups. A group is one candidate with its stand-ins: pairs at the same two source locations, of
/// which one race is enough. With `every`, each pair is its own group.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/registry.hpp"
#include "vindicate/trace_index.hpp"

namespace omen::vindicate {

struct CandidateGroup {
  std::vector<Pair> pairs;  ///< the first is tried first
  std::uint64_t count = 0;  ///< of all pairs that were found at these locations
};

/// So many pairs of a group are tried before it is given up.
inline constexpr std::size_t kStandIns = 8;

/// Without `every`: the pairs that the analysis names. With: all racing pairs of its relation.
std::vector<CandidateGroup> analysed_candidates(const TraceIndex& index, const AnalysisInfo& analysis, bool every);

/// Without `every`: of each variable, each access with the latest earlier one of each other thread and location.
/// With: all conflicting pairs.
std::vector<CandidateGroup> all_candidates(const TraceIndex& index, bool every);

}  // namespace omen::vindicate
