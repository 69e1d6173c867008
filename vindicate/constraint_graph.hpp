/// \file
/// The constraint graph of one pair under CA, and its lock-semantics edges. Vindicator, Algorithm 1, AddConstraints.
///
/// Nodes: the events that reach the pair, a prefix of each thread; the pair itself is one node after all of them, which
/// expresses the consecutive-event edges. Edges: program order, needs, conflict order, and for rival sections of which
/// the first start reaches the second's end: the first's end before the second's start (LS), to a fixpoint. A cycle
/// proves that there is no race under CA. Invariant: every edge holds in every CA witness, and every node is in every
/// CA witness, unless `ask` added it. Departures: the base is not DC but program order, needs and conflict order, from
/// which the LS rule derives DC's rules (a) and (b); the number of LS edges therefore counts these too.
///
/// Reachability uses clocks, computed in one pass over the graph per iteration. A clock has an entry for each thread
/// that has nodes, however many threads the trace has. The nodes of a thread from one that learns something of another
/// thread up to the next such one share a clock except for their own entry, so nodes that learn nothing cost no clock.
#pragma once

#include <cstdint>
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
  std::uint64_t work = 0;  ///< nodes visited, clock entries joined and sections examined
};

class ConstraintGraph {
 public:
  enum class State { Acyclic, Cycle, TooLarge };

  /// `max_nodes` bounds the nodes; all clocks together may have four times as many entries.
  ConstraintGraph(const TraceIndex& index, const ConflictOrder& order, Pair pair, std::size_t max_nodes);

  /// Adds an event that reaches the pair only by choice, and everything that reaches it.
  void ask(EventNo e) { include(e); }

  /// AddConstraints. Also returns `Cycle` if an event would have to follow one of the pair.
  State add_lock_edges();

  Pair pair() const { return pair_; }
  const Cut& nodes() const { return nodes_; }
  /// The threads that have nodes.
  const std::vector<std::size_t>& threads() const { return threads_; }
  GraphStatistics& statistics() { return statistics_; }
  const TraceIndex& trace() const { return index_; }
  /// False if the graph has edges to or from allocations, which are stricter than CA: then a cycle proves nothing.
  bool exact() const { return exact_; }

  /// The sources of the edges to `e`, other than its program-order predecessor.
  template <class Visit>
  void for_each_source(EventNo e, Visit visit) const {
    index_.for_each_lw_need(e, visit);  // CA keeps all of them
    order_.for_each_earlier(e, visit);
    if (!starts_section(index_.event(e))) return;
    const auto [begin, end] = lock_edges_.equal_range(e);
    for (auto at = begin; at != end; ++at) visit(at->second);
  }

 private:
  void include(EventNo e) { include(index_.thread(e), index_.position(e) + 1); }
  void include(std::size_t thread, std::uint32_t length);
  bool find_clocks();
  bool add_edges_for(const std::vector<std::uint32_t>& slots);
  bool order_sections(const Section& first, const Section& second);
  bool take_sources(EventNo e);
  Cut reaching(EventNo e) const;
  void find_slots();

  /// From `position` on, the nodes of a thread have this clock.
  struct Learned {
    std::uint32_t position;
    std::size_t row;
  };
  /// How many nodes of thread `u` reach node `e`, including `e` itself.
  std::uint32_t reached(EventNo e, std::size_t u) const {
    const std::size_t t = index_.thread(e);
    if (t == u) return index_.position(e) + 1;
    return column_[u] == kNone ? 0 : clocks_[row_of(t, index_.position(e)) * columns_ + column_[u]];
  }
  std::size_t row_of(std::size_t thread, std::uint32_t position) const;

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
  std::vector<std::size_t> threads_;                      ///< with nodes
  Cut clocked_;                                           ///< the nodes that have a clock
  std::vector<std::uint32_t> column_;                     ///< of each thread with such nodes, in a clock
  std::size_t columns_ = 0;
  std::vector<std::vector<Learned>> learned_;  ///< by column, by position
  std::vector<std::uint32_t> clocks_;          ///< rows of `columns_`: how many nodes of each thread reach it
  std::vector<std::vector<std::uint32_t>> slots_of_lock_;  ///< of threads with nodes, of locks with several of these
  GraphStatistics statistics_;
};

}  // namespace omen::vindicate
