/// \file
/// Judges what is predictable: an exhaustive search over all correct reorderings of a trace, as docs/event-model.md
/// defines them ("Reorderings"), and a check of one witness against the same definition.
///
/// The search walks the graph of states. A state is how far each thread has come and, for what does not follow from
/// that alone, the last writer of each variable and atomic (LW) and the current life of each variable. Who holds which
/// lock follows from how far each thread has come. Every state is visited once, so the answer is exact.
#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "test/judges/definitions.hpp"

namespace omen::judges {

enum class Notion {
  Ca,  ///< conflicting accesses keep their order
  Lw,  ///< reads keep their last writer
};

class ReorderingSearch {
 public:
  static constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

  /// Searches at once, and gives up after `max_states` states. The trace is not kept.
  ReorderingSearch(const Trace& trace, Notion notion, std::size_t max_states = kNoLimit);

  /// All states were visited: what is not among the pairs is not predictable.
  bool complete() const { return complete_; }
  std::size_t states() const { return reached_.size(); }

  /// All predictable pairs, earlier event of the trace first, sorted by the later event, then the earlier.
  std::vector<Pair> pairs() const;
  bool predictable(Pair pair) const { return found_.contains(pair); }

  /// Is there a correct reordering after which threads wait for each other in a circle? A thread waits for those that
  /// hold the lock that it acquires next, and for those whose events its next one has to come after: of its fork, of a
  /// join, of a barrier. LW only: CA's needs are no waiting.
  bool deadlock() const { return deadlock_; }

  /// A correct reordering that ends with the pair (earlier event of the trace first), if the pair is predictable.
  std::optional<std::vector<std::size_t>> witness(Pair pair) const;

 private:
  /// How a state was reached first: by `event` from `parent`.
  struct Reached {
    std::size_t parent;
    std::size_t event;
  };

  std::vector<Reached> reached_;
  std::map<Pair, std::size_t> found_;  ///< a state after which the pair is co-enabled
  bool complete_ = true;
  bool deadlock_ = false;
};

/// Is `witness` a correct reordering in which the last two events are a pair of conflicting accesses that are
/// co-enabled after the others? The definition, clause by clause, without any search; `why` says which clause fails.
bool accepts_witness(const Trace& trace, std::span<const std::size_t> witness, Notion notion,
                     std::string* why = nullptr);

}  // namespace omen::judges
