#include "vindicate/constraint_graph.hpp"

#include <algorithm>

namespace omen::vindicate {

ConstraintGraph::ConstraintGraph(const TraceIndex& index, const ConflictOrder& order, Pair pair, std::size_t max_nodes)
    : index_(index),
      order_(order),
      pair_(pair),
      max_nodes_(max_nodes / std::max<std::size_t>(1, index.threads())),
      limit_(index.threads()),
      nodes_(index.threads(), 0) {
  for (std::size_t t = 0; t < limit_.size(); ++t) limit_[t] = static_cast<std::uint32_t>(index.events_of(t).size());
  for (const EventNo e : {pair.first, pair.second}) limit_[index.thread(e)] = index.position(e);
  // The pair's own edges. The accesses do not order each other.
  for (const EventNo e : {pair.first, pair.second}) {
    include(index.thread(e), index.position(e));
    const auto source = [&](EventNo f) {
      if (f != pair.first && f != pair.second) include(f);
    };
    index.for_each_racing_need(e, source);
    if (index.event(e).op == Op::Read && index.link(e) != kNone) source(index.link(e));
    order.for_each_earlier(e, source);
  }
}

/// A worklist over prefixes, as in `CutBuilder`, with the graph's edges.
void ConstraintGraph::include(std::size_t thread, std::uint32_t length) {
  std::vector<std::pair<std::size_t, std::uint32_t>> work{{thread, length}};
  while (!work.empty() && !contradiction_ && !too_large_) {
    const auto [t, wanted] = work.back();
    work.pop_back();
    if (wanted > limit_[t]) contradiction_ = true;
    while (nodes_[t] < std::min(wanted, limit_[t])) {
      const EventNo e = index_.events_of(t)[nodes_[t]++];
      if (++node_count_ > max_nodes_) {
        too_large_ = true;
        return;
      }
      exact_ = exact_ && index_.event(e).op != Op::Allocate;
      for_each_source(e, [&](EventNo f) {
        if (!index_.in(nodes_, f)) work.emplace_back(index_.thread(f), index_.position(f) + 1);
      });
    }
  }
}

ConstraintGraph::State ConstraintGraph::add_lock_edges() {
  statistics_.nodes = node_count_;
  while (!contradiction_ && !too_large_) {
    ++statistics_.iterations;
    if (!find_clocks()) return State::Cycle;
    bool added = false;
    for (std::uint32_t m = 0; m < index_.trace().names.of(OperandKind::Lock).size() && !contradiction_; ++m) {
      added = add_edges_for(LockId{m}) || added;
    }
    statistics_.nodes = node_count_;
    if (!added && !contradiction_ && !too_large_) return State::Acyclic;
  }
  return contradiction_ ? State::Cycle : State::TooLarge;
}

/// Advances every thread as far as its sources allow, until all are at the end or none can go on: a cycle.
bool ConstraintGraph::find_clocks() {
  const std::size_t threads = nodes_.size();
  first_node_.assign(threads, 0);
  for (std::size_t t = 1; t < threads; ++t) first_node_[t] = first_node_[t - 1] + nodes_[t - 1];
  clocks_.assign(node_count_ * threads, 0);
  clocked_ = nodes_;
  Cut done(threads, 0);
  std::size_t left = node_count_;
  for (bool moved = true; moved && left > 0;) {
    moved = false;
    for (std::size_t t = 0; t < threads; ++t) {
      for (; done[t] < nodes_[t]; ++done[t], --left, moved = true) {
        const EventNo e = index_.events_of(t)[done[t]];
        bool ready = true;
        for_each_source(e, [&](EventNo f) { ready = ready && index_.in(done, f); });
        if (!ready) break;
        const auto mine = clock(e);
        const auto join = [&](EventNo f) {
          std::ranges::transform(mine, clock(f), mine.begin(),
                                 [](std::uint32_t a, std::uint32_t b) { return std::max(a, b); });
        };
        if (done[t] > 0) join(index_.events_of(t)[done[t] - 1]);
        for_each_source(e, join);
        mine[t] = done[t] + 1;
      }
    }
  }
  return left == 0;
}

/// What reaches `e`, an event that is no node; with the edges that are known.
Cut ConstraintGraph::reaching(EventNo e) const {
  Cut cut(nodes_.size(), 0);
  std::size_t steps = 0;
  std::vector<EventNo> work{e};
  while (!work.empty()) {
    const EventNo last = work.back();
    work.pop_back();
    const std::size_t t = index_.thread(last);
    if (index_.position(last) >= limit_[t]) return nodes_;  // it comes after the pair, and so after all nodes
    while (cut[t] <= index_.position(last)) {
      if (++steps > max_nodes_) return Cut(nodes_.size(), 0);  // too far to look: nothing is claimed
      for_each_source(index_.events_of(t)[cut[t]++], [&](EventNo f) {
        if (!index_.in(cut, f)) work.push_back(f);
      });
    }
  }
  return cut;
}

/// For each section the last rival section of each thread whose start reaches its end. The earlier ones end before that
/// one starts. A section that cannot end before the pair, or at all, comes after all others.
bool ConstraintGraph::add_edges_for(LockId m) {
  bool added = false;
  for (const std::uint32_t slot : index_.slots_of(m)) {
    const std::size_t t = index(index_.slots()[slot].thread);
    for (const Section& second : index_.sections(slot).first(index_.entered(slot, clocked_[t]))) {
      Cut outside;
      std::span<const std::uint32_t> before;
      if (second.end != kNone && index_.in(clocked_, second.end)) {
        before = clock(second.end);
      } else {
        outside = second.end == kNone ? nodes_ : reaching(second.end);
        before = outside;
      }
      for (const std::uint32_t rival : index_.slots_of(m)) {
        const std::size_t u = index(index_.slots()[rival].thread);
        if (u == t) continue;
        const std::size_t n = index_.entered(rival, std::min(before[u], clocked_[u]));
        if (n == 0) continue;
        const Section* first = index_.shared(second) ? index_.last_exclusive(rival, n) : &index_.sections(rival)[n - 1];
        if (first != nullptr && order_sections(*first, second)) added = true;
        if (contradiction_ || too_large_) return added;
      }
    }
  }
  return added;
}

/// The first section's start reaches the second's end, so it ends before the second starts. True if that is new.
bool ConstraintGraph::order_sections(const Section& first, const Section& second) {
  if (first.end == kNone) {
    contradiction_ = true;
    return false;
  }
  if (clock(second.start)[index_.thread(first.end)] > index_.position(first.end)) return false;
  const auto [begin, end] = lock_edges_.equal_range(second.start);
  if (std::any_of(begin, end, [&](const auto& edge) { return edge.second == first.end; })) return false;
  lock_edges_.emplace(second.start, first.end);
  ++statistics_.lock_edges;
  include(first.end);
  return true;
}

}  // namespace omen::vindicate
