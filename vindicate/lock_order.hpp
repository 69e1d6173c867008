/// \file
/// A streaming test whether threads can deadlock at all. In most runs the order in which threads take locks has no
/// cycle, and the trace need not be kept in memory.
///
/// A graph over locks and threads. A thread that requests a lock, or joins a thread, adds an edge to it from each lock
/// that the thread holds and from the thread itself. Every cycle of a `WaitGraph` over locks and joins is a cycle
/// here; the reverse need not hold.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "trace/event.hpp"

namespace omen::vindicate {

class LockOrder {
 public:
  /// The next events of a well-formed trace, with `nested` set.
  void take(std::span<const Event> events);
  /// True if there is a cycle whose edges come from two threads or more.
  bool may_deadlock() const;

 private:
  static constexpr std::uint32_t kSeveral = ~std::uint32_t{0};
  struct Thread {
    std::vector<LockId> held;
    std::uint32_t last = kSeveral;  ///< the node of its last edge from itself
  };

  static std::uint32_t node(LockId lock) { return 2 * static_cast<std::uint32_t>(lock); }
  static std::uint32_t node(ThreadId thread) { return 2 * static_cast<std::uint32_t>(thread) + 1; }
  void add(std::uint32_t from, std::uint32_t to, ThreadId by);
  void ask(Thread& self, ThreadId thread, std::uint32_t what);

  std::vector<Thread> threads_;
  std::unordered_map<std::uint64_t, std::uint32_t> edges_;  ///< with the thread they come from, or `kSeveral`
};

}  // namespace omen::vindicate
