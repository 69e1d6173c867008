/// \file
/// The constraint graph of one pair under CA, and its lock-semantics edges. Vindicator, Algorithm 1, AddConstraints.
///
/// Nodes: the events that reach the pair, a prefix of each thread; the pair itself is one node after all of them, which
/// is what the consecutive-event edges say. Edges: program order, needs, conflict order, and for rival sections of
/// which the first start reaches the second's end: the first's end before the second's start (LS), to a fixpoint. A
/// cycle proves that there is no race under CA. Invariant: every edge holds in every CA witness, and every node is in
/// every CA witness, unless `ask` added it. Departures: the base is not DC but program order, needs and conflict order,
/// from which the LS rule derives DC's rules (a) and (b); the number of LS edges therefore counts these too.
/// Reachability is by a clock per node, found in one pass over the graph per iteration.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "vindicate/conflict_order.hpp"
#include "vindicate/trace_index.hpp"

namespace omen::vindicate {

struct GraphStatistics {
  std::size_t nodes = 0;
  std::size_t lock_edges = 0;
  std::size_t iterations = 0;
  std::size_t retries = 0;
};

class ConstraintGraph {
 public:
  enum class State { Acyclic, Cycle, TooLarge };

  /// `max_nodes` bounds events times threads, which is what the clocks take.
  ConstraintGraph(const TraceIndex& index, const ConflictOrder& order, Pair pair, std::size_t max_nodes);

  /// Adds an event that reaches the pair only by choice, with all that reaches it.
  void ask(EventNo e) { include(e); }

  /// AddConstraints. `Cycle` also when an event would have to follow one of the pair.
  State add_lock_edges();

  Pair pair() const { return pair_; }
  const Cut& nodes() const { return nodes_; }
  GraphStatistics& statistics() { return statistics_; }
  const TraceIndex& trace() const { return index_; }
  /// Edges to and from allocations are stricter than CA: a cycle then proves nothing.
  bool exact() const { return exact_; }

  /// The sources of the edges to `e`, other than its program-order predecessor.
  template <class Visit>
  void for_each_source(EventNo e, Visit visit) const {
    index_.for_each_need(e, visit);
    order_.for_each_earlier(e, visit);
    if (!starts_section(index_.event(e))) return;
    const auto [begin, end] = lock_edges_.equal_range(e);
    for (auto at = begin; at != end; ++at) visit(at->second);
  }

 private:
  void include(EventNo e) { include(index_.thread(e), index_.position(e) + 1); }
  void include(std::size_t thread, std::uint32_t length);
  bool find_clocks();
  bool add_edges_for(LockId m);
  bool order_sections(const Section& first, const Section& second);
  Cut reaching(EventNo e) const;
  std::span<std::uint32_t> clock(EventNo e) {
    return std::span(clocks_).subspan((first_node_[index_.thread(e)] + index_.position(e)) * nodes_.size(),
                                      nodes_.size());
  }

  const TraceIndex& index_;
  const ConflictOrder& order_;
  Pair pair_;
  std::size_t max_nodes_;
  Cut limit_;
  Cut nodes_;
  std::size_t node_count_ = 0;
  bool contradiction_ = false;
  bool too_large_ = false;
  bool exact_ = true;
  std::unordered_multimap<EventNo, EventNo> lock_edges_;  ///< from a start to the ends before it
  Cut clocked_;                                           ///< the nodes that have a clock
  std::vector<std::size_t> first_node_;                   ///< of each thread
  std::vector<std::uint32_t> clocks_;                     ///< of each node: what reaches it, and itself
  GraphStatistics statistics_;
};

}  // namespace omen::vindicate
