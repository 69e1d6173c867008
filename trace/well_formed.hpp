/// \file
/// Well-formed traces: what a real execution can do. Analyses and judges assume it; every reader checks it.
///
/// - A thread acquires only a free lock, or one that it holds in the same mode (recursive). There may be many shared
///   holders; an exclusive holder is the only one. A thread releases only what it holds, in the mode in which it holds
///   it.
/// - `wait` needs the mutex held exclusively; until its `wake` the thread does nothing else; `wake` needs the mutex
///   free.
/// - A thread is forked at most once, by another thread, before its first event; `begin` is its first event, `end` its
///   last; after a `join` of it it has no events. Several threads may join one. Each of these events may be missing.
/// - `leave` of a barrier follows an `arrive` at it by the same thread, at most one leave for each arrive.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <unordered_map>
#include <vector>

#include "trace/event.hpp"
#include "trace/names.hpp"

namespace omen {

class WellFormedness {
 public:
  /// Checks the next event and sets its `nested` flag. On rejection: what was expected and why, with names.
  std::expected<void, std::string> check(Event& event, const Names& names) {
    if (accept_common(event)) [[likely]]
      return {};
    return check_slowly(event, names);
  }

 private:
  enum class Phase : std::uint8_t { Unborn, Forked, Running, Waiting, Ended, Joined };
  struct Thread {
    Phase phase = Phase::Unborn;
    LockId waits_for{};
  };
  struct Lock {
    ThreadId holder{};
    std::uint32_t depth = 0;                                  ///< of the exclusive holder; 0: there is none
    std::vector<std::pair<ThreadId, std::uint32_t>> readers;  ///< with their depths
  };

  static constexpr bool is_plain(Op op) {
    return op == Op::Read || op == Op::Write || (op >= Op::AtomicLoad && op <= Op::Free);
  }

  /// The common events of real traces: a running thread accesses memory, takes a free lock, or ends its section. False:
  /// nothing has changed, and `check_slowly` decides.
  bool accept_common(Event& event) {
    const std::size_t t = index(event.thread);
    if (t >= threads_.size() || threads_[t].phase != Phase::Running) return false;
    if (is_plain(event.op)) return true;
    if (event.op != Op::Acquire && event.op != Op::Release) return false;
    if (index(event.lock()) >= locks_.size()) return false;
    Lock& m = locks_[index(event.lock())];
    if (event.op == Op::Acquire) {
      if (m.depth != 0 || !m.readers.empty()) return false;
      m.holder = event.thread;
      m.depth = 1;
    } else {
      if (m.depth != 1 || m.holder != event.thread) return false;
      m.depth = 0;
    }
    event.nested = false;
    return true;
  }

  std::expected<void, std::string> check_slowly(Event& event, const Names& names);
  std::expected<void, std::string> enter(const Event& event, const Names& names);
  std::expected<void, std::string> acquire(Event& event, const Names& names);
  std::expected<void, std::string> release(Event& event, const Names& names);
  std::expected<void, std::string> acquire_shared(Event& event, const Names& names);
  std::expected<void, std::string> release_shared(Event& event, const Names& names);
  std::expected<void, std::string> wait(const Event& event, const Names& names);
  std::expected<void, std::string> wake(const Event& event, const Names& names);
  std::expected<void, std::string> fork(const Event& event, const Names& names);
  std::expected<void, std::string> join(const Event& event, const Names& names);
  std::expected<void, std::string> leave(const Event& event, const Names& names);

  Thread& thread(ThreadId id);
  Lock& lock(LockId id);

  std::vector<Thread> threads_;
  std::vector<Lock> locks_;
  std::unordered_map<std::uint64_t, std::uint32_t> wait_depth_;  ///< per (thread, lock) of a wait: depth to restore
  std::unordered_map<std::uint64_t, std::uint32_t> arrivals_;    ///< per (thread, barrier): arrived and not left
};

}  // namespace omen
