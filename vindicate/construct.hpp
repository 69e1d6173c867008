/// \file
/// Builds a reordered trace from an acyclic constraint graph. Vindicator, Algorithm 1, AttemptToConstructTrace: from
/// the end backwards, at each step the latest event in trace order that neither an edge nor a lock forbids. Greedy: it
/// may fail although a witness exists.
#pragma once

#include <variant>
#include <vector>

#include "vindicate/constraint_graph.hpp"

namespace omen::vindicate {

/// The sections whose ends are missing among the nodes and without which no event can be prepended; empty: it failed.
struct MissingEnds {
  std::vector<EventNo> ends;
};

/// A witness, the pair last, or what is missing.
std::variant<std::vector<EventNo>, MissingEnds> construct(const ConstraintGraph& graph);

}  // namespace omen::vindicate
