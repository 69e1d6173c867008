/// \file
/// The races of one trace under each relation, and the strongest relation that shows each: the classes of Vindicator's
/// evaluation (seed 000, Section 6.3). A dynamic race is a pair of events; a static one an unordered pair of source
/// locations, and of the class of its strongest dynamic race.
///
/// Invariant: the relations weaken from HB over WCP and DC to WDC, and the unoptimised analyses name the same earlier
/// accesses under each, so a pair that one relation names is named by all that are weaker.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "vindicate/candidates.hpp"
#include "vindicate/trace_index.hpp"

namespace omen::vindicate {

/// The strongest relation that names the pair; `Lw`: none does, and a witness shows the race all the same.
enum class RaceClass : std::uint8_t { Hb, Wcp, Dc, Wdc, Lw };
inline constexpr std::size_t kRaceClasses = 5;
inline constexpr std::array<std::string_view, kRaceClasses> kRaceClassNames{"HB", "WCP-only", "DC-only", "WDC-only",
                                                                            "LW-only"};

struct DynamicRace {
  Pair pair;
  RaceClass strongest = RaceClass::Wdc;
  std::uint32_t group = 0;  ///< its static race
};

struct StaticRace {
  RaceClass strongest = RaceClass::Wdc;
  CandidateGroup candidates;  ///< of all its dynamic races
  std::uint64_t nearest = 0;  ///< fewest events from one access to the other
  std::uint64_t farthest = 0;
};

struct RaceClasses {
  std::vector<StaticRace> races;     ///< in the order in which each was first seen
  std::vector<DynamicRace> dynamic;  ///< by later event, then by earlier one
};

/// By the four relations. The trace is well formed.
RaceClasses classify(const TraceIndex& index);

/// Candidates at locations where no relation names a race, which LW may allow (unordered_pairs.hpp).
std::vector<CandidateGroup> beyond_relations(const TraceIndex& index, const RaceClasses& known);

}  // namespace omen::vindicate
