/// \file
/// Which threads may have to wait for which others. A *request* is an event that may have to wait: an acquire of a lock
/// that is not an attempt, the wake of a condition wait, a join, a leave of a barrier, the first event of a forked
/// thread. Requests of one thread that wait for the same object and hold the same locks are one *node*, with its events
/// in trace order (an abstract acquire: Tunç, Mathur, Pavlogiannis and Viswanathan, "Sound Dynamic Deadlock Prediction
/// in Linear Time", PLDI 2023). So the size of the graph depends on the program's use of locks, not on the trace.
///
/// An edge leads from a node to one whose thread it may wait for: a thread that holds the lock, will be joined, will
/// arrive, or will fork. A *cycle* here has nodes of different threads only, and no two of them hold a lock that
/// excludes the other.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "vindicate/trace_index.hpp"

namespace omen::vindicate {

enum class WaitKind : std::uint8_t { Lock, Join, Barrier, Fork };

struct WaitNode {
  ThreadId thread{};
  WaitKind kind = WaitKind::Lock;
  bool shared = false;            ///< of a lock: for reading
  std::uint32_t object = 0;       ///< the lock, the joined thread, the barrier round; for a fork: the thread itself
  std::uint32_t held = 0;         ///< a set of locks
  std::vector<EventNo> events{};  ///< in trace order
};

class WaitGraph {
 public:
  enum class Kinds : std::uint8_t {
    LocksAndJoins,  ///< the usual causes of deadlocks
    All,
  };

  /// Considers the events before `end`.
  WaitGraph(const TraceIndex& index, Kinds kinds, EventNo end = kNone);

  const std::vector<WaitNode>& nodes() const { return nodes_; }

  /// Calls `visit` for each cycle, as numbers of nodes in waiting order, the smallest first; short cycles come first.
  /// False: `max_steps` of the search were not enough, or `visit` returned false.
  bool for_each_cycle(std::uint64_t max_steps, const std::function<bool(std::span<const std::uint32_t>)>& visit) const;

  /// True if `request` of the node `from` may wait for the thread of `to`, which is before `other`.
  bool fits(std::uint32_t from, EventNo request, std::uint32_t to, EventNo other) const;

 private:
  class CycleSearch;
  struct Hold {
    LockId lock;
    bool shared;
    auto operator<=>(const Hold&) const = default;
  };
  using Holds = std::vector<Hold>;  ///< sorted by lock

  void find_awaited(EventNo end);
  void add_nodes(EventNo end);
  void add(EventNo e, WaitKind kind, bool shared, std::uint32_t object, const Holds& held);
  void change(Holds& held, const Event& event) const;
  std::uint32_t number_of(const Holds& held);
  bool compatible(std::uint32_t held, std::uint32_t other) const;
  bool holds(std::uint32_t held, LockId lock, bool also_shared) const;
  EventNo arrival_of(std::uint32_t round, EventNo leave, ThreadId thread) const;

  template <class Visit>
  void for_each_successor(std::uint32_t node, Visit visit) const;

  const TraceIndex& index_;
  Kinds kinds_;
  std::vector<bool> awaited_;  ///< threads that others may wait for without a lock
  std::vector<EventNo> fork_;  ///< of each thread, or `kNone`
  std::vector<WaitNode> nodes_;
  std::vector<Holds> holds_;  ///< by number
  std::map<Holds, std::uint32_t> numbers_;
  std::map<std::vector<std::uint64_t>, std::uint32_t> known_;
  std::vector<std::vector<std::uint32_t>> of_thread_;
  std::vector<std::vector<std::uint32_t>> holders_;  ///< by lock: the nodes that hold it
};

}  // namespace omen::vindicate
