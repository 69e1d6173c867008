/// \file
/// The races of one trace under each relation, and the strongest relation that shows each: the classes of Vindicator's
/// evaluation (PLDI 2018, Section 6.3). A dynamic race is a pair of events; a static one an unordered pair of source
/// locations, with the class of its strongest dynamic race.
///
/// For each relation these are the races of the unoptimised analysis, which reports, for each racy access of the
/// definition, the latest earlier accesses.
///
/// The relations weaken from HB over WCP and DC to WDC, with one exception: WCP does not count a fork where it compares
/// critical sections, and DC does. So DC may order a pair of class WCP, if a thread was created in a section.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <string_view>
#include <vector>

#include "vindicate/candidates.hpp"
#include "vindicate/trace_index.hpp"

namespace omen::vindicate {

/// The first relation that reports the pair; `Lw`: none does, but a witness shows the race.
enum class RaceClass : std::uint8_t { Hb, Wcp, Dc, Wdc, Lw };
inline constexpr std::size_t kRaceClasses = 5;
inline constexpr std::array<std::string_view, kRaceClasses> kRaceClassNames{"HB", "WCP-only", "DC-only", "WDC-only",
                                                                            "LW-only"};

/// Which of the four relations report a pair, by the numbers of their classes.
using ShownBy = std::bitset<4>;

struct DynamicRace {
  Pair pair;
  RaceClass strongest = RaceClass::Wdc;
  ShownBy shown_by;
  std::uint32_t group = 0;  ///< its static race
};

struct StaticRace {
  RaceClass strongest = RaceClass::Wdc;
  ShownBy shown_by;           ///< union over its dynamic races
  CandidateGroup candidates;  ///< candidate pairs of all its dynamic races
  std::uint64_t nearest = 0;  ///< the smallest number of events between the accesses
  std::uint64_t farthest = 0;
};

struct RaceClasses {
  std::vector<StaticRace> races;     ///< in the order of their first occurrence
  std::vector<DynamicRace> dynamic;  ///< by later event, then by earlier one
};

/// Classifies by the four relations. The trace must be well formed.
RaceClasses classify(const TraceIndex& index);

/// Candidates at locations where no relation reports a race, which LW may allow (unordered_pairs.hpp).
std::vector<CandidateGroup> beyond_relations(const TraceIndex& index, const RaceClasses& known);

}  // namespace omen::vindicate
