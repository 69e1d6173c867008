/// \file
/// Judges the analyses: TO, HB, WCP, DC and WDC of a whole trace as least fixpoints over pairs of events, exactly as
/// docs/event-model.md defines them ("Thread order", "The four relations"). Cubic in the number of events; a trace of
/// 40 events takes some tens of microseconds.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "test/judges/bit_matrix.hpp"
#include "test/judges/definitions.hpp"

namespace omen::judges {

/// The order by which a race is judged. So `Wcp` stands for WCP ∪ TO.
enum class Relation { To, Hb, Wcp, Dc, Wdc };

/// Which definitions: this project's, or those of the papers, which have no atomics, and whose thread order ignores the
/// locks that are held where it leaves a section.
enum class Definitions { OfTheEventModel, OfThePapers };

struct Verdicts {
  std::vector<Pair> pairs;  ///< all races, earlier event first; sorted by the later event, then the earlier
  std::vector<std::size_t> racy_events;  ///< the later events of the pairs, each once, ascending
  std::optional<std::size_t> first;      ///< the first racy event

  bool operator==(const Verdicts&) const = default;
};

class RelationOracle {
 public:
  /// The trace must be well formed. The object does not refer to it.
  explicit RelationOracle(const Trace& trace, Definitions definitions = Definitions::OfTheEventModel);

  bool ordered(Relation relation, std::size_t i, std::size_t j) const { return of(relation).test(i, j); }
  Verdicts races(Relation relation) const;
  bool conflict(std::size_t i, std::size_t j) const { return conflicts_.test(i, j) || conflicts_.test(j, i); }

 private:
  const BitMatrix& of(Relation relation) const;

  BitMatrix conflicts_;  ///< only pairs i < j
  BitMatrix to_, hb_, wcp_, dc_, wdc_;
};

}  // namespace omen::judges
