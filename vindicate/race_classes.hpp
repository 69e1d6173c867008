/// \file
/// The races of one trace under each relation, and the strongest relation that shows each: the classes of Vindicator's
/// evaluation (seed 000, Section 6.3). A dynamic race is a pair of events; a static one an unordered pair of source
/// locations, and of the class of its strongest dynamic race.
///
/// Of a relation's races those of the unoptimised analysis are taken, which names, for each racy access of the
/// definition, the latest earlier accesses.
///
/// The relations weaken from HB over WCP and DC to WDC, but for one thing: WCP does not count a fork where it compares
/// critical sections, and DC does. So a pair of class WCP may be ordered by DC, if a thread was created in a section.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <string_view>
#include <vector>

#include "vindicate/candidates.hpp"
#include "vindicate/trace_index.hpp"

namespace omen::vindicate {

/// The first relation that names the pair; `Lw`: none does, and a witness shows the race all the same.
enum class RaceClass : std::uint8_t { Hb, Wcp, Dc, Wdc, Lw };
inline constexpr std::size_t kRaceClasses = 5;
inline constexpr std::array<std::string_view, kRaceClasses> kRaceClassNames{"HB", "WCP-only", "DC-only", "WDC-only",
                                                                            "LW-only"};

/// Which of the four relations name a pair, by the numbers of their classes.
using ShownBy = std::bitset<4>;

struct DynamicRace {
  Pair pair;
  RaceClass strongest = RaceClass::Wdc;
  ShownBy shown_by;
  std::uint32_t group = 0;  ///< its static race
};

struct StaticRace {
  RaceClass strongest = RaceClass::Wdc;
  ShownBy shown_by;           ///< any of its dynamic races
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
