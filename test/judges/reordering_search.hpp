/// \file
/// Judges predictability: an exhaustive search over all correct reorderings of a trace, as docs/event-model.md defines
/// them ("Reorderings"), and a check of one witness against the same definition.
///
/// The search walks the graph of states. A state is the progress of each thread, and the facts that do not follow from
/// it: the last writer of each variable and atomic (LW, DATA), whether it wrote its recorded value (DATA), and the
/// current life of each variable. The holders of locks follow from the progress. Every state is visited once, so the
/// answer is exact.
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
  Data,  ///< reads except those of updates keep their last writer, and its recorded value
};

class ReorderingSearch {
 public:
  static constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

  /// The constructor searches, and gives up after `max_states` states. The object does not refer to the trace.
  ReorderingSearch(const Trace& trace, Notion notion, std::size_t max_states = kNoLimit);

  /// All states were visited: other pairs are not predictable.
  bool complete() const { return complete_; }
  std::size_t states() const { return reached_.size(); }

  /// All predictable pairs, earlier event of the trace first, sorted by the later event, then the earlier.
  std::vector<Pair> pairs() const;
  bool predictable(Pair pair) const { return found_.contains(pair); }

  /// An event that is its thread's next one, in a cycle of threads that wait for each other.
  struct Waiting {
    std::size_t event;
    bool unborn;  ///< its thread has not been forked, and waits for that
    auto operator<=>(const Waiting&) const = default;
  };
  /// Each waits for the next one's thread, the last for the first's; the thread with the least number comes first.
  using Cycle = std::vector<Waiting>;

  /// All cycles in which threads may wait for each other after some correct reordering. A thread waits for threads that
  /// hold the lock of its next acquire, unless that is an attempt, and for threads whose events must precede its next
  /// one: for a join or a barrier. Before its fork it waits only for the fork. LW only: the needs of CA are not
  /// waiting.
  const std::map<Cycle, std::size_t>& deadlocks() const { return deadlocks_; }
  /// For the n-th cycle: a correct reordering, then the cycle; and the cycle's number of events.
  std::pair<std::vector<std::size_t>, std::size_t> deadlock_witness(std::size_t n) const;
  bool deadlock() const { return !deadlocks_.empty(); }

  /// A correct reordering that ends with the pair (earlier event of the trace first), if the pair is predictable.
  std::optional<std::vector<std::size_t>> witness(Pair pair) const;

 private:
  /// How a state was first reached: by `event` from `parent`.
  struct Reached {
    std::size_t parent;
    std::size_t event;
  };

  std::vector<Reached> reached_;
  std::map<Pair, std::size_t> found_;  ///< a state after which the pair is co-enabled
  bool complete_ = true;
  std::map<Cycle, std::size_t> deadlocks_;  ///< with a state that has the cycle
};

/// True if `witness` is a correct reordering in which the last two events are a pair of conflicting accesses that are
/// co-enabled after the others. This is the definition, clause by clause, without any search; `why` names the violated
/// clause.
bool accepts_witness(const Trace& trace, std::span<const std::size_t> witness, Notion notion,
                     std::string* why = nullptr);

/// True if the last `requests` events of `witness` are a cycle of threads that wait for each other after the others,
/// which are a correct reordering under LW. Again the definition.
bool accepts_deadlock(const Trace& trace, std::span<const std::size_t> witness, std::size_t requests,
                      std::string* why = nullptr, Notion notion = Notion::Lw);

}  // namespace omen::judges
