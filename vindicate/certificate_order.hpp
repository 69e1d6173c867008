/// \file
/// Facts that would hold in every correct reordering that brings a pair together, under the assumptions of a branch of
/// a certificate: which events are executed, and which must come before which.
///
/// Known events are a prefix of each thread, closed under needs. The must-order is the transitive closure of program
/// order, needs and assumed edges, represented by vector clocks: the clock of an event counts the events of each thread
/// that come before it, and itself. Clocks are computed in trace order when events become known, and propagated along
/// edges when an edge is assumed. Invariant: the order is acyclic; callers test `precedes` before they assume an edge.
///
/// A branch starts as a copy of its parent.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "vindicate/certificate.hpp"
#include "vindicate/trace_index.hpp"

namespace omen::vindicate {

/// An event that `edge` made known.
struct Followed {
  Edge edge;
  std::uint32_t known_before;  ///< how many events of the source's thread were known before
};

class CertificateOrder {
 public:
  CertificateOrder(const TraceIndex& index, Pair pair);

  /// Makes the needs of the pair known, transitively. False: as for `know`.
  bool begin(std::vector<Followed>& trail);
  /// Makes `e` and its needs known. False: a racing access, or an event after it, would be executed (`beyond`).
  bool know(EventNo e, std::vector<Followed>& trail);
  /// Computes the clocks of new events.
  void order();

  bool is_known(EventNo e) const { return index_->position(e) < known_[index_->thread(e)]; }
  /// The event of a racing thread, at or after its access, that would be executed.
  EventNo beyond() const { return beyond_; }
  /// True if the event is its thread's racing access or comes after it.
  bool is_beyond(EventNo e) const { return index_->position(e) >= limit_[index_->thread(e)]; }
  std::uint32_t known_in_thread_of(EventNo e) const { return known_[index_->thread(e)]; }
  std::size_t size() const { return ordered_.size(); }
  std::size_t known() const { return ordered_.size() + new_.size(); }
  std::size_t columns() const { return columns_; }

  /// Both must be known, and different.
  bool precedes(EventNo a, EventNo b) const { return clock(b)[column_of(a)] > index_->position(a); }
  /// Adds an edge. Both must be known, and not `precedes(b, a)`.
  void assume(EventNo a, EventNo b);
  /// Edges that lead from a to b; a must precede b.
  std::vector<Edge> path(EventNo a, EventNo b) const;

  /// Known events in the order in which they became known.
  const std::vector<EventNo>& events() const { return ordered_; }
  std::uint64_t work() const { return work_; }

 private:
  bool follow(EdgeRule rule, EventNo from, EventNo to, std::vector<Followed>& trail);
  bool close(std::vector<Followed>& trail);
  void add_column(std::size_t thread);
  EdgeRule rule_of(EventNo from, EventNo to) const;
  EventNo source_that_covers(EventNo a, EventNo b, EdgeRule& rule) const;
  std::size_t column_of(EventNo e) const { return column_.at(index_->thread(e)); }
  std::uint32_t* clock(EventNo e) { return &clocks_[rows_[column_of(e)][index_->position(e)] * stride_]; }
  const std::uint32_t* clock(EventNo e) const { return &clocks_[rows_[column_of(e)][index_->position(e)] * stride_]; }

  const TraceIndex* index_;
  Pair pair_;
  Cut limit_;
  Cut known_;
  std::vector<EventNo> new_;      ///< known, without a clock
  std::size_t followed_ = 0;      ///< how many of `new_` have known needs
  std::vector<EventNo> ordered_;  ///< with a clock
  EventNo beyond_ = kNone;
  std::unordered_map<std::size_t, std::size_t> column_;  ///< of each thread with ordered events
  std::size_t columns_ = 0;
  std::size_t stride_ = 8;
  std::vector<std::uint32_t> clocks_;
  std::vector<std::vector<std::uint32_t>> rows_;  ///< by column and position
  std::unordered_map<EventNo, std::vector<EventNo>>
      targets_;  ///< of edges from an event, without the edge to its successor
  std::unordered_map<EventNo, std::vector<EventNo>> assumed_;  ///< sources of assumed edges to an event
  std::uint64_t work_ = 0;
};

}  // namespace omen::vindicate
