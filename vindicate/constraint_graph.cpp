#include "vindicate/constraint_graph.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace omen::vindicate {

ConstraintGraph::ConstraintGraph(const TraceIndex& index, const ConflictOrder& order, Pair pair, std::size_t max_nodes)
    : index_(index),
      order_(order),
      pair_(pair),
      max_nodes_(max_nodes),
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
    index.for_each_goal_need(e, source);
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
      if (nodes_[t] == 0) threads_.push_back(t);
      ++statistics_.work;
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
    if (!find_clocks()) return too_large_ ? State::TooLarge : State::Cycle;
    find_slots();
    bool added = false;
    for (const auto& slots : slots_of_lock_) {
      if (contradiction_) break;
      added = add_edges_for(slots) || added;
    }
    statistics_.nodes = node_count_;
    if (!added && !contradiction_ && !too_large_) return State::Acyclic;
  }
  return contradiction_ ? State::Cycle : State::TooLarge;
}

/// Advances every thread as far as its sources allow, until all are at the end or none can advance, which is a cycle.
/// False: a cycle, or the clocks are too many.
bool ConstraintGraph::find_clocks() {
  clocked_ = nodes_;
  columns_ = threads_.size();
  column_.assign(nodes_.size(), kNone);
  for (std::size_t i = 0; i < columns_; ++i) column_[threads_[i]] = static_cast<std::uint32_t>(i);
  learned_.assign(columns_, {});
  clocks_.clear();
  statistics_.work += nodes_.size();
  const std::vector<std::size_t> threads = threads_;
  for (std::size_t i = 0; i < columns_; ++i) {
    learned_[i].push_back({0, i});
    clocks_.resize((i + 1) * columns_, 0);
  }
  Cut done(nodes_.size(), 0);
  std::size_t left = node_count_;
  for (bool moved = true; moved && left > 0;) {
    moved = false;
    for (const std::size_t t : threads) {
      for (; done[t] < nodes_[t]; ++done[t], --left, moved = true) {
        const EventNo e = index_.events_of(t)[done[t]];
        ++statistics_.work;
        bool ready = true;
        for_each_source(e, [&](EventNo f) { ready = ready && index_.in(done, f); });
        if (!ready) break;
        if (!take_sources(e)) return false;
      }
    }
  }
  return left == 0;
}

/// Computes the clock of `e`, whose sources have theirs: a new one only if it learns something.
bool ConstraintGraph::take_sources(EventNo e) {
  const std::size_t t = index_.thread(e);
  const std::size_t mine = column_[t];
  bool is_new = false;
  for_each_source(e, [&](EventNo f) {
    const std::size_t u = index_.thread(f);
    const std::size_t row = learned_[mine].back().row;
    if (u == t || clocks_[row * columns_ + column_[u]] > index_.position(f)) return;
    if (!is_new) {
      is_new = true;
      const std::size_t end = clocks_.size();
      clocks_.resize(end + columns_);
      std::copy_n(clocks_.begin() + static_cast<std::ptrdiff_t>(row * columns_), columns_,
                  clocks_.begin() + static_cast<std::ptrdiff_t>(end));
      learned_[mine].push_back({index_.position(e), end / columns_});
    }
    std::uint32_t* const clock = &clocks_[learned_[mine].back().row * columns_];
    const std::uint32_t* const theirs = &clocks_[row_of(u, index_.position(f)) * columns_];
    for (std::size_t i = 0; i < columns_; ++i) clock[i] = std::max(clock[i], theirs[i]);
    clock[column_[u]] = std::max(clock[column_[u]], index_.position(f) + 1);
    statistics_.work += columns_ / 8 + 1;
  });
  too_large_ = too_large_ || clocks_.size() / 4 > max_nodes_ + columns_ * columns_;
  return !too_large_;
}

std::size_t ConstraintGraph::row_of(std::size_t thread, std::uint32_t position) const {
  const auto& all = learned_[column_[thread]];
  return std::prev(std::ranges::upper_bound(all, position, {}, &Learned::position))->row;
}

/// Locks that only one thread takes order nothing.
void ConstraintGraph::find_slots() {
  std::unordered_map<LockId, std::vector<std::uint32_t>> of_lock;
  for (std::size_t i = 0; i < columns_; ++i) {
    const std::size_t t = threads_[i];
    for (const std::uint32_t slot : index_.slots_of(ThreadId{static_cast<std::uint32_t>(t)})) {
      ++statistics_.work;
      if (index_.entered(slot, clocked_[t]) != 0) of_lock[index_.slots()[slot].lock].push_back(slot);
    }
  }
  std::vector<std::pair<LockId, std::vector<std::uint32_t>>> shared;
  for (auto& [lock, slots] : of_lock) {
    if (slots.size() > 1) shared.emplace_back(lock, std::move(slots));
  }
  std::ranges::sort(shared);
  slots_of_lock_.clear();
  for (auto& [lock, slots] : shared) slots_of_lock_.push_back(std::move(slots));
}

/// The set that reaches `e`, an event that is not a node; uses the edges found so far.
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
      if (++steps > max_nodes_) return Cut(nodes_.size(), 0);  // search limit: claim nothing
      for_each_source(index_.events_of(t)[cut[t]++], [&](EventNo f) {
        if (!index_.in(cut, f)) work.push_back(f);
      });
    }
  }
  return cut;
}

/// For each section: the last rival section of each thread whose start reaches its end. Earlier ones end before that
/// one starts. A section that cannot end before the pair, or at all, comes after all others. `slots` belong to one
/// lock.
bool ConstraintGraph::add_edges_for(const std::vector<std::uint32_t>& slots) {
  bool added = false;
  for (const std::uint32_t slot : slots) {
    const std::size_t t = index(index_.slots()[slot].thread);
    for (const Section& second : index_.sections(slot).first(index_.entered(slot, clocked_[t]))) {
      const bool ends = second.end != kNone && index_.in(clocked_, second.end);
      const Cut outside = ends ? Cut{} : second.end == kNone ? nodes_ : reaching(second.end);
      statistics_.work += slots.size() + outside.size();
      for (const std::uint32_t rival : slots) {
        const std::size_t u = index(index_.slots()[rival].thread);
        if (u == t) continue;
        const std::uint32_t before = ends ? reached(second.end, u) : outside[u];
        const std::size_t n = index_.entered(rival, std::min(before, clocked_[u]));
        if (n == 0) continue;
        const Section* first = index_.shared(second) ? index_.last_exclusive(rival, n) : &index_.sections(rival)[n - 1];
        if (first != nullptr && order_sections(*first, second)) added = true;
        if (contradiction_ || too_large_) return added;
      }
    }
  }
  return added;
}

/// The first section's start reaches the second's end, so the first ends before the second starts. True if that is new.
bool ConstraintGraph::order_sections(const Section& first, const Section& second) {
  if (first.end == kNone) {
    contradiction_ = true;
    return false;
  }
  if (reached(second.start, index_.thread(first.end)) > index_.position(first.end)) return false;
  const auto [begin, end] = lock_edges_.equal_range(second.start);
  if (std::any_of(begin, end, [&](const auto& edge) { return edge.second == first.end; })) return false;
  lock_edges_.emplace(second.start, first.end);
  ++statistics_.lock_edges;
  include(first.end);
  return true;
}

}  // namespace omen::vindicate
