/// \file
/// VindicateRace: Vindicator, Algorithm 1. The constraint graph, its lock-semantics edges, the cycle test, and the
/// greedy construction, repeated with the ends of sections that turn out to be missing.
#pragma once

#include <cstdint>
#include <vector>

#include "vindicate/constraint_graph.hpp"

namespace omen::vindicate {

struct GraphAnswer {
  enum class Kind : std::uint8_t { Race, NoRaceUnderCa, DontKnow, TooLarge };
  Kind kind = Kind::DontKnow;
  std::vector<EventNo> witness;  ///< of a race; the pair last
  GraphStatistics statistics;
};

GraphAnswer vindicate_race(const TraceIndex& index, const ConflictOrder& order, Pair pair, std::size_t max_nodes);

}  // namespace omen::vindicate
