/// \file
/// Follows every lock through the run and says what each step is in the event model; or that the program uses the lock
/// in a way that no critical section describes (unlocked by another thread, held by a thread that died, locked before
/// the recording began). Such a lock is recorded as an atomic: it then orders, and never makes a false race.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "capture/runtime/raw_layout.hpp"
#include "trace/operation.hpp"

namespace omen::recording {

class LockTracker {
 public:
  /// What the thread's step is, in the event model; nothing if the lock turned out to be irregular.
  std::optional<Op> step(std::uint32_t thread, raw::RawOp op, std::uint64_t lock);

  /// A thread that waits at a condition variable and does something else was cancelled: it has the mutex back. The
  /// lock, if that is so and the mutex is free; an irregular lock otherwise.
  std::optional<std::uint64_t> interrupted_wait(std::uint32_t thread, raw::RawOp op, std::uint64_t lock) const {
    if (thread >= waits_.size() || !waits_[thread]) [[likely]]
      return std::nullopt;
    return op == raw::RawOp::Wake && *waits_[thread] == lock ? std::nullopt : waits_[thread];
  }

  /// Nobody holds it or waits to have it back.
  bool is_free(std::uint64_t lock) const {
    const auto state = states_.find(lock);
    return state == states_.end() ||
           (!state->second.writer && state->second.readers.empty() && state->second.waiting.empty());
  }

  const std::unordered_set<std::uint64_t>& irregular() const { return irregular_; }

 private:
  struct Holder {
    std::uint32_t thread;
    std::uint32_t depth;
  };
  struct State {
    std::optional<Holder> writer;
    std::vector<Holder> readers;
    std::vector<Holder> waiting;  ///< their depth is what they get back
  };

  std::optional<Op> refuse(std::uint64_t lock) {
    irregular_.insert(lock);
    return std::nullopt;
  }

  void end_wait(std::uint32_t thread) {
    if (thread < waits_.size()) waits_[thread].reset();
  }

  std::unordered_map<std::uint64_t, State> states_;
  std::vector<std::optional<std::uint64_t>> waits_;  ///< by thread: the lock that it gave up, while it waits
  std::unordered_set<std::uint64_t> irregular_;
};

}  // namespace omen::recording
