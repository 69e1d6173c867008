/// \file
/// The vocabulary of docs/event-model.md that the judges share: sections, lives, conflicts and the hard edges.
/// Everything is computed naively, from a whole trace in memory, one definition per function.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "trace/trace.hpp"

namespace omen::judges {

using Pair = std::pair<std::size_t, std::size_t>;  ///< two event indices

/// A critical section. Its events are those of `thread` from `start` to `end`, or to the thread's last if it is open.
struct Section {
  LockId lock{};
  ThreadId thread{};
  bool shared = false;
  std::size_t start = 0;
  std::optional<std::size_t> end;
};

/// All sections, in the order of their starts. Depths are counted here; `Event::nested` is not trusted.
std::vector<Section> sections(const Trace& trace);

/// For each access: the life of its variable, that is, how many allocations came before it.
/// For each allocation: the life that it begins. 0 for all other events.
std::vector<std::size_t> lives(const Trace& trace);

/// Same variable and life, different threads, at least one write (a free is a write).
bool conflict(const Trace& trace, const std::vector<std::size_t>& life, std::size_t i, std::size_t j);

/// Accesses of one atomic by different threads, at least one of which writes it. They order sections as conflicting
/// accesses do, but never race.
bool atomic_conflict(const Trace& trace, std::size_t i, std::size_t j);

/// Each arrive of a round with each later leave of that round.
std::vector<Pair> barrier_edges(const Trace& trace);

/// Each release with the acquire that reads from it, for atomics and fences.
std::vector<Pair> atomic_edges(const Trace& trace);

/// fork(t) with every event of t and with join(t); every event of t with join(t).
std::vector<Pair> fork_and_join_edges(const Trace& trace);

/// The last store or rmw of the atomic of event i before i.
std::optional<std::size_t> last_atomic_write_before(const Trace& trace, std::size_t i);

}  // namespace omen::judges
