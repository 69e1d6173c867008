#include "report/hidden_order.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

namespace omen::report {
namespace {

/// Spreads from the first event: a thread, lock, atomic or barrier is *reached* if the first event happens before what
/// it does next.
class Spread {
 public:
  Spread(const Trace& trace, std::uint64_t first) : trace_(trace) {
    reached_.emplace(static_cast<std::uint32_t>(trace.events[first].thread), Edge{});
  }

  void step(std::uint64_t at) {
    const Event& event = trace_.events[at];
    const auto thread = static_cast<std::uint32_t>(event.thread);
    if (!reached_.contains(thread)) take(thread, at, event);
    if (reached_.contains(thread)) {
      give(at, event);
    } else if (event.op == Op::AtomicStore) {
      given_.erase({Kind::Atomic, event.operand});  // what is read from now on is this store
    }
  }

  /// The chain that ends in this thread.
  std::vector<std::uint64_t> chain(ThreadId last) const {
    std::vector<std::uint64_t> events;
    auto thread = static_cast<std::uint32_t>(last);
    for (auto edge = reached_.find(thread); edge != reached_.end() && edge->second.from; edge = reached_.find(thread)) {
      if (edge->second.to) events.push_back(*edge->second.to);
      events.push_back(*edge->second.from);
      thread = static_cast<std::uint32_t>(trace_.events[*edge->second.from].thread);
    }
    std::ranges::reverse(events);
    return events;
  }

 private:
  enum class Kind : std::uint8_t { Lock, SharedLock, Atomic, Barrier };
  struct Edge {
    std::optional<std::uint64_t> from;  ///< none: where it starts
    std::optional<std::uint64_t> to;    ///< none: a thread's creation
  };

  void reach(std::uint32_t thread, std::optional<std::uint64_t> from, std::optional<std::uint64_t> to) {
    reached_.try_emplace(thread, Edge{from, to});
  }

  void take(std::uint32_t thread, std::uint64_t at, const Event& event) {
    const auto from = [&](Kind kind) {
      const auto found = given_.find({kind, event.operand});
      if (found != given_.end()) reach(thread, found->second, at);
    };
    switch (event.op) {
      case Op::Acquire:
      case Op::Wake:
        if (event.nested) return;
        from(Kind::Lock);
        from(Kind::SharedLock);
        return;
      case Op::AcquireShared:
        return from(Kind::Lock);
      case Op::AtomicLoad:
      case Op::AtomicRmw:
        if (acquires(event.order)) from(Kind::Atomic);
        return;
      case Op::BarrierLeave:
        return from(Kind::Barrier);
      case Op::Join: {
        const auto ended = last_.find(event.operand);
        if (reached_.contains(event.operand) && ended != last_.end()) reach(thread, ended->second, at);
        return;
      }
      default:
        return;
    }
  }

  void give(std::uint64_t at, const Event& event) {
    last_[static_cast<std::uint32_t>(event.thread)] = at;
    switch (event.op) {
      case Op::Release:
      case Op::Wait:
        if (!event.nested) given_.try_emplace({Kind::Lock, event.operand}, at);
        return;
      case Op::ReleaseShared:
        given_.try_emplace({Kind::SharedLock, event.operand}, at);
        return;
      case Op::AtomicStore:
      case Op::AtomicRmw:
        if (releases(event.order)) given_.insert_or_assign({Kind::Atomic, event.operand}, at);
        return;
      case Op::BarrierArrive:
        given_.try_emplace({Kind::Barrier, event.operand}, at);
        return;
      case Op::Fork:
        reach(event.operand, at, std::nullopt);
        return;
      default:
        return;
    }
  }

  const Trace& trace_;
  std::unordered_map<std::uint32_t, Edge> reached_;                ///< threads
  std::unordered_map<std::uint32_t, std::uint64_t> last_;          ///< of a reached thread, its last event
  std::map<std::pair<Kind, std::uint32_t>, std::uint64_t> given_;  ///< by which event an object was reached
};

}  // namespace

std::vector<std::uint64_t> hidden_order(const Trace& trace, std::uint64_t first, std::uint64_t second) {
  if (first >= second || second >= trace.size()) return {};
  Spread spread(trace, first);
  for (std::uint64_t at = first + 1; at < second; ++at) spread.step(at);
  return spread.chain(trace.events[second].thread);
}

}  // namespace omen::report
