/// \file
/// Judges what is predictable: an exhaustive search over all correct reorderings of a trace, as docs/event-model.md
/// defines them ("Reorderings"), and a check of one witness against the same definition.
///
/// The search walks the graph of states. A state is how far each thread has come and, for what does not follow from
/// that alone, the last writer of each variable and atomic (LW, DATA), whether it wrote what it wrote in the trace
/// (DATA) and the current life of each variable. Who holds which lock follows from how far each thread has come. Every
/// state is visited once, so the answer is exact.
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
  Ca,    ///< conflicting accesses keep their order
  Lw,    ///< reads keep their last writer
  Data,  ///< reads but those of updates do, and find the value that it wrote in the trace
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

  /// An event that is its thread's next one, in a circle of threads that wait for each other.
  struct Waiting {
    std::size_t event;
    bool unborn;  ///< its thread has not been forked, and waits for that
    auto operator<=>(const Waiting&) const = default;
  };
  /// Each waits for the next one's thread, the last for the first's; the thread with the least number comes first.
  using Circle = std::vector<Waiting>;

  /// All circles in which threads may come to wait for each other, after some correct reordering. A thread waits for
  /// those that hold the lock that it acquires next, unless by an attempt, and for those whose events its next one has
  /// to come after: of a join, of a barrier; before its fork for that alone. LW only: CA's needs are no waiting.
  const std::map<Circle, std::size_t>& deadlocks() const { return deadlocks_; }
  /// Of the n-th circle: a correct reordering, then the circle; and how many events that is.
  std::pair<std::vector<std::size_t>, std::size_t> deadlock_witness(std::size_t n) const;
  bool deadlock() const { return !deadlocks_.empty(); }

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
  std::map<Circle, std::size_t> deadlocks_;  ///< with a state in which it is there
};

/// Is `witness` a correct reordering in which the last two events are a pair of conflicting accesses that are
/// co-enabled after the others? The definition, clause by clause, without any search; `why` says which clause fails.
bool accepts_witness(const Trace& trace, std::span<const std::size_t> witness, Notion notion,
                     std::string* why = nullptr);

/// Are the last `requests` events of `witness` a circle of threads that wait for each other after the others, which are
/// a correct reordering under LW? The definition again.
bool accepts_deadlock(const Trace& trace, std::span<const std::size_t> witness, std::size_t requests,
                      std::string* why = nullptr, Notion notion = Notion::Lw);

}  // namespace omen::judges
