/// \file
/// Candidates: the conflicting pairs of an execution, one group for each pair of source locations.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <vector>

#include "relax/cone.hpp"
#include "relax/execution.hpp"
#include "relax/subject.hpp"

namespace omen::relax {

/// What pairs have in common that are one candidate: their locations, the smaller first. Accesses without a location
/// are told apart by their events, as all are if every pair is asked for.
struct CandidateKey {
  std::uint64_t first;
  std::uint64_t second;
  auto operator<=>(const CandidateKey&) const = default;
};

struct CandidateSettings {
  bool every = false;    ///< each pair of events is a candidate of its own
  LocationId nowhere{};  ///< the location that is none; compared only if `has_nowhere`
  bool has_nowhere = false;
};

struct CandidatePairs {
  std::vector<ItemPair> pairs;  ///< the first that are to be asked, by their later event
  ItemPair first;               ///< the first of all
  std::uint64_t count = 0;      ///< how many there are
  std::uint64_t excluded = 0;   ///< of these: ordered by fork and join, or held apart by a lock, in every model
};

/// Of each candidate at most `most` pairs are kept, none that is plainly excluded.
std::map<CandidateKey, CandidatePairs> candidates(const Execution& execution, const CandidateSettings& settings,
                                                  std::size_t most);

/// A candidate of the whole trace, by one of its pairs of events.
struct FarCandidate {
  std::uint32_t first = 0;
  std::uint32_t second = 0;
  LocationId first_location{};
  LocationId second_location{};
  std::uint32_t variable = 0;
};

/// All candidates of the whole trace, for those that no window holds. Accesses without a location are left out.
std::map<CandidateKey, FarCandidate> all_candidates(const Subject& subject, const CandidateSettings& settings);

}  // namespace omen::relax
