#include "test/judges/definitions.hpp"

#include <map>

namespace omen::judges {
namespace {

using ThreadAndLock = std::pair<ThreadId, LockId>;

bool writes_atomic(Op op) {
  return op == Op::AtomicStore || op == Op::AtomicRmw;
}
bool reads_atomic(Op op) {
  return op == Op::AtomicLoad || op == Op::AtomicRmw;
}

/// Where the order of an atomic write begins: at the write, or at a fence before it.
std::optional<std::size_t> release_side(const std::vector<Event>& events, std::size_t write) {
  if (releases(events[write].order)) return write;
  for (std::size_t i = write; i-- > 0;) {
    const Event& e = events[i];
    if (e.thread == events[write].thread && e.op == Op::Fence && releases(e.order)) return i;
  }
  return std::nullopt;
}

/// Where the order of an atomic read ends: at the read, or at a fence after it.
std::optional<std::size_t> acquire_side(const std::vector<Event>& events, std::size_t read) {
  if (acquires(events[read].order)) return read;
  for (std::size_t i = read + 1; i < events.size(); ++i) {
    const Event& e = events[i];
    if (e.thread == events[read].thread && e.op == Op::Fence && acquires(e.order)) return i;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Section> sections(const Trace& trace) {
  std::vector<Section> all;
  std::map<ThreadAndLock, std::size_t> depth;
  std::map<ThreadAndLock, std::size_t> open;  // the position in `all` of the section that is not yet ended
  std::map<ThreadAndLock, std::size_t> depth_before_wait;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const Event& e = trace.events[i];
    if (traits(e.op).operand != OperandKind::Lock) continue;
    const ThreadAndLock who{e.thread, e.lock()};
    const auto start = [&] {
      open[who] = all.size();
      all.push_back({e.lock(), e.thread, e.op == Op::AcquireShared, i, std::nullopt});
    };
    const auto end = [&] { all[open.at(who)].end = i; };
    switch (e.op) {
      case Op::Acquire:
      case Op::AcquireShared:
        if (depth[who]++ == 0) start();
        break;
      case Op::Release:
      case Op::ReleaseShared:
        if (--depth[who] == 0) end();
        break;
      case Op::Wait:
        depth_before_wait[who] = depth[who];
        depth[who] = 0;
        end();
        break;
      case Op::Wake:
        depth[who] = depth_before_wait[who];
        start();
        break;
      default:
        break;
    }
  }
  return all;
}

std::vector<std::size_t> lives(const Trace& trace) {
  std::vector<std::size_t> life(trace.size(), 0);
  std::map<VariableId, std::size_t> allocations;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const Event& e = trace.events[i];
    if (e.op == Op::Allocate) ++allocations[e.variable()];
    if (e.op == Op::Allocate || is_access(e.op)) life[i] = allocations[e.variable()];
  }
  return life;
}

bool conflict(const Trace& trace, const std::vector<std::size_t>& life, std::size_t i, std::size_t j) {
  const Event& e = trace.events[i];
  const Event& f = trace.events[j];
  return is_access(e.op) && is_access(f.op) && e.variable() == f.variable() && life[i] == life[j] &&
         e.thread != f.thread && (is_write(e.op) || is_write(f.op));
}

bool atomic_conflict(const Trace& trace, std::size_t i, std::size_t j) {
  const Event& e = trace.events[i];
  const Event& f = trace.events[j];
  return traits(e.op).operand == OperandKind::Atomic && traits(f.op).operand == OperandKind::Atomic &&
         e.atomic() == f.atomic() && e.thread != f.thread && (writes_atomic(e.op) || writes_atomic(f.op));
}

std::vector<Pair> barrier_edges(const Trace& trace) {
  struct Barrier {
    std::size_t round = 0;
    bool left = false;  ///< a thread has left the current round
    std::map<ThreadId, std::size_t> round_of;
    std::map<std::size_t, std::vector<std::size_t>> arrivals;  ///< of each round
  };
  std::map<BarrierId, Barrier> barriers;
  std::vector<Pair> edges;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const Event& e = trace.events[i];
    if (traits(e.op).operand != OperandKind::Barrier) continue;
    Barrier& b = barriers[e.barrier()];
    if (e.op == Op::BarrierArrive) {
      if (b.left) {
        ++b.round;
        b.left = false;
      }
      b.round_of[e.thread] = b.round;
      b.arrivals[b.round].push_back(i);
    } else {
      const std::size_t round = b.round_of.at(e.thread);
      for (const std::size_t arrive : b.arrivals[round]) edges.emplace_back(arrive, i);
      if (round == b.round) b.left = true;
    }
  }
  return edges;
}

std::optional<std::size_t> last_atomic_write_before(const Trace& trace, std::size_t i) {
  const AtomicId atomic = trace.events[i].atomic();
  while (i-- > 0) {
    const Event& e = trace.events[i];
    if (writes_atomic(e.op) && e.atomic() == atomic) return i;
  }
  return std::nullopt;
}

std::vector<Pair> atomic_edges(const Trace& trace) {
  std::vector<Pair> edges;
  for (std::size_t read = 0; read < trace.size(); ++read) {
    if (!reads_atomic(trace.events[read].op)) continue;
    const auto target = acquire_side(trace.events, read);
    if (!target) continue;
    for (auto write = last_atomic_write_before(trace, read); write; write = last_atomic_write_before(trace, *write)) {
      if (const auto source = release_side(trace.events, *write)) edges.emplace_back(*source, *target);
      if (trace.events[*write].op == Op::AtomicStore) break;
    }
  }
  return edges;
}

std::vector<Pair> fork_and_join_edges(const Trace& trace) {
  std::vector<Pair> edges;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const Event& e = trace.events[i];
    if (e.op == Op::Fork) {
      for (std::size_t j = i + 1; j < trace.size(); ++j) {
        const Event& f = trace.events[j];
        if (f.thread == e.target() || (f.op == Op::Join && f.target() == e.target())) edges.emplace_back(i, j);
      }
    } else if (e.op == Op::Join) {
      for (std::size_t j = 0; j < i; ++j) {
        if (trace.events[j].thread == e.target()) edges.emplace_back(j, i);
      }
    }
  }
  return edges;
}

}  // namespace omen::judges
