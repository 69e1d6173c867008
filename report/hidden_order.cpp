#include "report/hidden_order.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace omen::report {
namespace {

/// The most events to scan: about 20 ms.
constexpr std::uint64_t kFarthest = 1'000'000;

/// Propagates happens-before from the first event: a thread, lock, atomic or barrier is *reached* if the first event
/// happens before its next event, or before the next event that acquires from it.
class Spread {
 public:
  Spread(const Trace& trace, std::uint64_t first) : trace_(trace), reached_(trace.threads()) {
    reached_[index(trace.events[first].thread)] = Edge{std::nullopt, std::nullopt, first};
  }

  void step(std::uint64_t at) {
    const Event& event = trace_.events[at];
    std::optional<Edge>& mine = reached_[index(event.thread)];
    if (!mine) take(mine, at, event);
    if (mine) {
      mine->last = at;
      give(at, event);
    } else if (event.op == Op::AtomicStore) {
      given_.erase({Kind::Atomic, event.operand});  // later loads read from this store
    }
  }

  /// The chain of edges that reached this thread.
  std::vector<std::uint64_t> chain(ThreadId last) const {
    std::vector<std::uint64_t> events;
    for (const std::optional<Edge>* edge = &reached_[index(last)]; *edge && (*edge)->from;) {
      if ((*edge)->to) events.push_back(*(*edge)->to);
      events.push_back(*(*edge)->from);
      edge = &reached_[index(trace_.events[*(*edge)->from].thread)];
    }
    std::ranges::reverse(events);
    return events;
  }

 private:
  enum class Kind : std::uint8_t { Lock, SharedLock, Atomic, Barrier };
  struct Edge {
    std::optional<std::uint64_t> from;  ///< none: the first event's own thread
    std::optional<std::uint64_t> to;    ///< none: the edge is a thread's creation
    std::uint64_t last = 0;             ///< the reached thread's latest event
  };

  void take(std::optional<Edge>& mine, std::uint64_t at, const Event& event) {
    const auto from = [&](Kind kind) {
      const auto found = given_.find({kind, event.operand});
      if (!mine && found != given_.end()) mine = Edge{found->second, at, at};
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
      case Op::Join:
        if (const auto& ended = reached_[event.operand]; ended) mine = Edge{ended->last, at, at};
        return;
      default:
        return;
    }
  }

  void give(std::uint64_t at, const Event& event) {
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
        if (releases(event.order)) {
          given_.insert_or_assign({Kind::Atomic, event.operand}, at);
        } else if (event.op == Op::AtomicStore) {
          given_.erase({Kind::Atomic, event.operand});
        }
        return;
      case Op::BarrierArrive:
        given_.try_emplace({Kind::Barrier, event.operand}, at);
        return;
      case Op::Fork:
        if (auto& child = reached_[event.operand]; !child) child = Edge{at, std::nullopt, at};
        return;
      default:
        return;
    }
  }

  const Trace& trace_;
  std::vector<std::optional<Edge>> reached_;  ///< by thread
  std::map<std::pair<Kind, std::uint32_t>, std::uint64_t>
      given_;  ///< for each reached object the event that reached it
};

}  // namespace

std::vector<std::uint64_t> hidden_order(const Trace& trace, std::uint64_t first, std::uint64_t second) {
  if (first >= second || second >= trace.size() || second - first > kFarthest) return {};
  Spread spread(trace, first);
  for (std::uint64_t at = first + 1; at < second; ++at) spread.step(at);
  return spread.chain(trace.events[second].thread);
}

}  // namespace omen::report
