/// \file
/// Which pairs to confirm: those that an analysis reports, every racing pair of its relation, those that nothing orders
/// under LW or DATA, or all conflicting pairs.
///
/// Candidates come in groups: pairs at the same two source locations, of which one race is enough
/// (vindicate/group_verdict.hpp). With `every`, each pair is its own group.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/registry.hpp"
#include "vindicate/trace_index.hpp"

namespace omen::vindicate {

struct CandidateGroup {
  std::vector<Pair> pairs;  ///< in the order in which to decide them
  std::uint64_t count = 0;  ///< the number of all pairs that were found at these locations
};

/// How many of a group's pairs are kept, evenly spread over those that were found.
inline constexpr std::size_t kKeptPairs = std::size_t{1} << 16;

/// Without `every`: the pairs that the analysis reports. With: all racing pairs of its relation.
std::vector<CandidateGroup> analysed_candidates(const TraceIndex& index, const AnalysisInfo& analysis, bool every);

/// Pairs that neither needs nor a common lock orders (unordered_pairs.hpp).
std::vector<CandidateGroup> unordered_candidates(const TraceIndex& index);

/// Without `every`: for each variable, each access with the latest earlier one of each other thread and location. With:
/// all conflicting pairs.
std::vector<CandidateGroup> all_candidates(const TraceIndex& index, bool every);

/// Collects the pairs of one group.
class PairSample {
 public:
  explicit PairSample(std::size_t most = kKeptPairs) : most_(most) {}

  void add(Pair pair);
  /// The first pair, which is certain to race in the relation; the two closest accesses; then the others in an order
  /// such that every prefix is spread over the run.
  CandidateGroup take() &&;

 private:
  std::size_t most_;
  std::uint64_t count_ = 0;
  std::uint64_t stride_ = 1;  ///< one of this many pairs is kept; a power of two
  std::vector<Pair> kept_;
};

}  // namespace omen::vindicate
