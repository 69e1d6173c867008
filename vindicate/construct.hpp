/// \file
/// Builds a reordered trace from an acyclic constraint graph. Vindicator, Algorithm 1, AttemptToConstructTrace: from
/// the end backwards, at each step it prepends the latest event in trace order that neither an edge nor a lock forbids.
/// It is greedy: it may fail although a witness exists.
#pragma once

#include <variant>
#include <vector>

#include "vindicate/constraint_graph.hpp"

namespace omen::vindicate {

/// Sections whose missing ends prevent every event from being prepended; empty: the construction failed.
struct MissingEnds {
  std::vector<EventNo> ends;
};

/// A witness, the pair last, or the missing ends.
std::variant<std::vector<EventNo>, MissingEnds> construct(const ConstraintGraph& graph);

}  // namespace omen::vindicate
