#include "vindicate/wait_graph.hpp"

#include <algorithm>
#include <array>

namespace omen::vindicate {

WaitGraph::WaitGraph(const TraceIndex& index, Kinds kinds, EventNo end)
    : index_(index),
      kinds_(kinds),
      awaited_(index.threads(), kinds == Kinds::All),
      fork_(index.threads(), kNone),
      of_thread_(index.threads()),
      holders_(index.trace().names.of(OperandKind::Lock).size()) {
  end = std::min(end, static_cast<EventNo>(index.size()));
  find_awaited(end);
  add_nodes(end);
  for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
    of_thread_[omen::index(nodes_[n].thread)].push_back(n);
    for (const Hold& hold : holds_[nodes_[n].held]) holders_[omen::index(hold.lock)].push_back(n);
  }
}

void WaitGraph::change(Holds& held, const Event& event) const {
  const auto at = std::ranges::lower_bound(held, event.lock(), {}, &Hold::lock);
  if (starts_section(event)) {
    held.insert(at, {event.lock(), event.op == Op::AcquireShared});
  } else if (ends_section(event) && at != held.end() && at->lock == event.lock()) {
    held.erase(at);
  }
}

/// A thread that is joined inside a section, or by a thread that may itself be waited for in this way, may be waited
/// for at any of its requests. Of all others only requests that hold a lock matter.
void WaitGraph::find_awaited(EventNo end) {
  std::vector<std::uint32_t> depth(index_.threads(), 0);
  std::vector<std::pair<std::size_t, std::size_t>> joins;  // joins by threads that hold no lock
  for (EventNo e = 0; e < end; ++e) {
    const Event& event = index_.event(e);
    const std::size_t t = index_.thread(e);
    if (event.op == Op::Fork) fork_[omen::index(event.target())] = e;
    if (starts_section(event)) ++depth[t];
    if (ends_section(event)) --depth[t];
    if (event.op != Op::Join) continue;
    if (depth[t] != 0) awaited_[omen::index(event.target())] = true;
    joins.emplace_back(t, omen::index(event.target()));
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [by, child] : joins) {
      if (!awaited_[by] || awaited_[child]) continue;
      awaited_[child] = changed = true;
    }
  }
}

void WaitGraph::add_nodes(EventNo end) {
  std::vector<Holds> held(index_.threads());
  for (EventNo e = 0; e < end; ++e) {
    const Event& event = index_.event(e);
    const std::size_t t = index_.thread(e);
    if (kinds_ == Kinds::All && index_.position(e) == 0 && fork_[t] != kNone) {
      add(e, WaitKind::Fork, false, static_cast<std::uint32_t>(t), {});
    }
    if (!held[t].empty() || awaited_[t]) {
      if (starts_section(event) && !is_attempt(event.op, event.order)) {
        add(e, WaitKind::Lock, event.op == Op::AcquireShared, event.operand, held[t]);
      } else if (event.op == Op::Join) {
        add(e, WaitKind::Join, false, event.operand, held[t]);
      } else if (event.op == Op::BarrierLeave && kinds_ == Kinds::All) {
        add(e, WaitKind::Barrier, false, index_.link(e), held[t]);
      }
    }
    change(held[t], event);
  }
}

std::uint32_t WaitGraph::number_of(const Holds& held) {
  const auto [at, is_new] = numbers_.try_emplace(held, static_cast<std::uint32_t>(holds_.size()));
  if (is_new) holds_.push_back(held);
  return at->second;
}

void WaitGraph::add(EventNo e, WaitKind kind, bool shared, std::uint32_t object, const Holds& held) {
  const ThreadId thread = index_.event(e).thread;
  const std::uint32_t number = number_of(held);
  const auto [at, is_new] =
      known_.try_emplace({omen::index(thread), static_cast<std::uint64_t>(kind) * 2 + (shared ? 1 : 0), object, number},
                         static_cast<std::uint32_t>(nodes_.size()));
  if (is_new) nodes_.push_back({.thread = thread, .kind = kind, .shared = shared, .object = object, .held = number});
  nodes_[at->second].events.push_back(e);
}

bool WaitGraph::holds(std::uint32_t held, LockId lock, bool also_shared) const {
  const auto at = std::ranges::lower_bound(holds_[held], lock, {}, &Hold::lock);
  return at != holds_[held].end() && at->lock == lock && (also_shared || !at->shared);
}

bool WaitGraph::compatible(std::uint32_t held, std::uint32_t other) const {
  return std::ranges::none_of(holds_[held], [&](const Hold& hold) { return holds(other, hold.lock, !hold.shared); });
}

EventNo WaitGraph::arrival_of(std::uint32_t round, EventNo leave, ThreadId thread) const {
  for (const EventNo arrival : index_.arrivals(round)) {
    if (arrival < leave && index_.event(arrival).thread == thread) return arrival;
  }
  return kNone;
}

bool WaitGraph::fits(std::uint32_t from, EventNo request, std::uint32_t to, EventNo other) const {
  const WaitNode& node = nodes_[from];
  const ThreadId thread = nodes_[to].thread;
  const auto is_to_come = [&](EventNo event) {
    return event != kNone && index_.event(event).thread == thread && other <= event;
  };
  switch (node.kind) {
    case WaitKind::Lock:
      return holds(nodes_[to].held, LockId{node.object}, !node.shared);
    case WaitKind::Join:
      return thread == ThreadId{node.object} || is_to_come(fork_[node.object]);
    case WaitKind::Barrier:
      return is_to_come(arrival_of(node.object, request, thread));
    case WaitKind::Fork:
      return is_to_come(fork_[node.object]);
  }
  return false;
}

template <class Visit>
void WaitGraph::for_each_successor(std::uint32_t node, Visit visit) const {
  const WaitNode& from = nodes_[node];
  const auto visit_thread = [&](ThreadId thread) {
    if (thread == from.thread) return;
    for (const std::uint32_t to : of_thread_[index(thread)]) {
      if (fits(node, from.events.back(), to, nodes_[to].events.front())) visit(to);
    }
  };
  switch (from.kind) {
    case WaitKind::Lock:
      for (const std::uint32_t to : holders_[from.object]) {
        if (nodes_[to].thread != from.thread && holds(nodes_[to].held, LockId{from.object}, !from.shared)) visit(to);
      }
      return;
    case WaitKind::Join:
      visit_thread(ThreadId{from.object});
      if (kinds_ == Kinds::All && fork_[from.object] != kNone) visit_thread(index_.event(fork_[from.object]).thread);
      return;
    case WaitKind::Barrier: {
      std::vector<ThreadId> threads;
      for (const EventNo arrival : index_.arrivals(from.object)) threads.push_back(index_.event(arrival).thread);
      std::ranges::sort(threads);
      threads.erase(std::ranges::unique(threads).begin(), threads.end());
      for (const ThreadId thread : threads) visit_thread(thread);
      return;
    }
    case WaitKind::Fork:
      visit_thread(index_.event(fork_[from.object]).thread);
      return;
  }
}

/// Enumerates paths from each node over nodes with greater numbers, in order of length, so that short cycles are found
/// before the budget is spent.
class WaitGraph::CycleSearch {
 public:
  CycleSearch(const WaitGraph& graph, std::uint64_t max_steps,
              const std::function<bool(std::span<const std::uint32_t>)>& visit)
      : graph_(graph), left_(max_steps), visit_(visit), in_path_(graph.index_.threads(), false) {}

  bool run() {
    constexpr std::array<std::size_t, 3> kShort{2, 3, 4};
    std::size_t above = 1;
    for (const std::size_t length : kShort) {
      if (!run(above, length)) return false;
      if (!deeper_) return true;
      above = length;
    }
    return run(above, graph_.index_.threads());
  }

 private:
  /// Cycles of more than `above` and at most `most` nodes.
  bool run(std::size_t above, std::size_t most) {
    above_ = above;
    most_ = most;
    deeper_ = false;
    for (std::uint32_t start = 0; start < graph_.nodes_.size() && !stopped_; ++start) extend(start);
    return !stopped_;
  }

  void extend(std::uint32_t node) {
    const std::size_t thread = index(graph_.nodes_[node].thread);
    path_.push_back(node);
    in_path_[thread] = true;
    graph_.for_each_successor(node, [&](std::uint32_t to) {
      if (stopped_) return;
      if (left_ == 0) {
        stopped_ = true;
        return;
      }
      --left_;
      if (to == path_.front()) {
        if (path_.size() > above_ && !visit_(path_)) stopped_ = true;
        return;
      }
      if (to < path_.front() || in_path_[index(graph_.nodes_[to].thread)]) return;
      const bool compatible = std::ranges::all_of(path_, [&](std::uint32_t other) {
        return graph_.compatible(graph_.nodes_[other].held, graph_.nodes_[to].held);
      });
      if (!compatible) return;
      if (path_.size() == most_) {
        deeper_ = true;
        return;
      }
      extend(to);
    });
    in_path_[thread] = false;
    path_.pop_back();
  }

  const WaitGraph& graph_;
  std::uint64_t left_;
  const std::function<bool(std::span<const std::uint32_t>)>& visit_;
  std::vector<bool> in_path_;
  std::vector<std::uint32_t> path_;
  std::size_t above_ = 0;
  std::size_t most_ = 0;
  bool deeper_ = false;  ///< there are longer paths
  bool stopped_ = false;
};

bool WaitGraph::for_each_cycle(std::uint64_t max_steps,
                               const std::function<bool(std::span<const std::uint32_t>)>& visit) const {
  return CycleSearch(*this, max_steps, visit).run();
}

}  // namespace omen::vindicate
