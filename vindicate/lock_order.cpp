#include "vindicate/lock_order.hpp"

#include <algorithm>

#include "vindicate/trace_index.hpp"

namespace omen::vindicate {
namespace {

/// Strongly connected components, by Tarjan's algorithm with an explicit stack.
class Components {
 public:
  explicit Components(const std::vector<std::vector<std::uint32_t>>& next)
      : next_(next), number_(next.size(), kNone), low_(next.size(), 0), of_(next.size(), kNone) {
    for (std::uint32_t node = 0; node < next.size(); ++node) {
      if (number_[node] == kNone) visit(node);
    }
  }
  std::uint32_t of(std::uint32_t node) const { return of_[node]; }
  std::uint32_t count() const { return count_; }

 private:
  struct Call {
    std::uint32_t node;
    std::size_t at;
  };

  void visit(std::uint32_t root) {
    std::vector<Call> calls{enter(root)};
    while (!calls.empty()) {
      auto& [node, at] = calls.back();
      if (at < next_[node].size()) {
        const std::uint32_t to = next_[node][at++];
        if (number_[to] == kNone) {
          calls.push_back(enter(to));
        } else if (of_[to] == kNone) {
          low_[node] = std::min(low_[node], number_[to]);
        }
        continue;
      }
      if (low_[node] == number_[node]) leave(node);
      const std::uint32_t done = node;
      calls.pop_back();
      if (!calls.empty()) low_[calls.back().node] = std::min(low_[calls.back().node], low_[done]);
    }
  }
  Call enter(std::uint32_t node) {
    number_[node] = low_[node] = numbers_++;
    open_.push_back(node);
    return {node, 0};
  }
  void leave(std::uint32_t root) {
    std::uint32_t node = kNone;
    do {
      node = open_.back();
      open_.pop_back();
      of_[node] = count_;
    } while (node != root);
    ++count_;
  }

  const std::vector<std::vector<std::uint32_t>>& next_;
  std::vector<std::uint32_t> number_;
  std::vector<std::uint32_t> low_;
  std::vector<std::uint32_t> of_;
  std::vector<std::uint32_t> open_;
  std::uint32_t numbers_ = 0;
  std::uint32_t count_ = 0;
};

}  // namespace

void LockOrder::add(std::uint32_t from, std::uint32_t to, ThreadId by) {
  const auto [at, is_new] = edges_.try_emplace(std::uint64_t{from} << 32 | to, static_cast<std::uint32_t>(by));
  if (!is_new && at->second != static_cast<std::uint32_t>(by)) at->second = kSeveral;
}

void LockOrder::ask(Thread& self, ThreadId thread, std::uint32_t what) {
  for (const LockId held : self.held) add(node(held), what, thread);
  if (self.last == what) return;
  self.last = what;
  add(node(thread), what, thread);
}

void LockOrder::take(std::span<const Event> events) {
  for (const Event& event : events) {
    const bool starts = starts_section(event);
    if (!starts && !ends_section(event) && event.op != Op::Join) continue;
    if (index(event.thread) >= threads_.size()) threads_.resize(index(event.thread) + 1);
    Thread& self = threads_[index(event.thread)];
    if (event.op == Op::Join) {
      ask(self, event.thread, node(event.target()));
    } else if (starts) {
      if (!is_attempt(event.op, event.order)) ask(self, event.thread, node(event.lock()));
      self.held.push_back(event.lock());
    } else if (const auto at = std::ranges::find(self.held, event.lock()); at != self.held.end()) {
      self.held.erase(at);
    }
  }
}

bool LockOrder::may_deadlock() const {
  std::uint32_t nodes = 0;
  for (const auto& [edge, by] : edges_) {
    nodes = std::max({nodes, static_cast<std::uint32_t>(edge >> 32) + 1, static_cast<std::uint32_t>(edge) + 1});
  }
  std::vector<std::vector<std::uint32_t>> next(nodes);
  for (const auto& [edge, by] : edges_) next[edge >> 32].push_back(static_cast<std::uint32_t>(edge));
  const Components components(next);
  std::vector<std::uint32_t> by_thread(components.count(), kNone - 1);
  for (const auto& [edge, by] : edges_) {
    const std::uint32_t one = components.of(static_cast<std::uint32_t>(edge >> 32));
    if (one != components.of(static_cast<std::uint32_t>(edge))) continue;
    if (by == kSeveral || (by_thread[one] != kNone - 1 && by_thread[one] != by)) return true;
    by_thread[one] = by;
  }
  return false;
}

}  // namespace omen::vindicate
