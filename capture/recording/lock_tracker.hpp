/// \file
/// Follows every lock through the run and translates each step to the event model, or finds that no critical section
/// describes the program's use of the lock (unlocked by another thread, held by a thread that died, locked before the
/// recording began). Such a lock is recorded as an atomic: it then orders, and cannot cause a false race.
///
/// In the event model a thread that waits at a condition variable does nothing else. In a program a signal handler may
/// run during the wait. Such a wait releases and re-acquires its mutex like any other, so it is written as releases and
/// acquires. Which waits these are is known only after a first pass.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "capture/runtime/records/raw_layout.hpp"
#include "trace/operation.hpp"

namespace omen::recording {

class LockTracker {
 public:
  /// Waits, numbered in the order of the run from 0 on.
  using Waits = std::unordered_set<std::uint64_t>;
  struct Step {
    Op op;
    std::uint32_t times;
  };

  LockTracker() = default;
  /// For the second pass, over the same steps, with the result of the first.
  explicit LockTracker(const Waits& interrupted) : interrupted_(interrupted) {}

  /// Translates the thread's step to the event model; nothing if the lock is irregular.
  std::optional<Step> step(std::uint32_t thread, raw::RawOp op, std::uint64_t lock);

  /// For the first pass, called before any step of a thread. If the thread waits, and this step is not the end of the
  /// wait, a handler interrupts the wait.
  void before(std::uint32_t thread, raw::RawOp op, std::uint64_t lock) {
    if (thread >= waits_.size() || waits_[thread].empty()) [[likely]]
      return;
    const Wait& wait = waits_[thread].back();
    if (op != raw::RawOp::Wake || wait.lock != lock) interrupted_.insert(wait.number);
  }

  /// No thread holds it or waits to re-acquire it.
  bool is_free(std::uint64_t lock) const {
    const auto state = states_.find(lock);
    return state == states_.end() ||
           (!state->second.writer && state->second.readers.empty() && state->second.waiting == 0);
  }

  /// In any mode.
  bool holds(std::uint32_t thread, std::uint64_t lock) const;

  const std::unordered_set<std::uint64_t>& irregular() const { return irregular_; }
  const Waits& interrupted() const { return interrupted_; }

 private:
  struct Holder {
    std::uint32_t thread;
    std::uint32_t depth;
  };
  struct State {
    std::optional<Holder> writer;
    std::vector<Holder> readers;
    std::uint32_t waiting = 0;  ///< threads in a wait that will re-acquire it
  };
  struct Wait {
    std::uint64_t lock;
    std::uint64_t number;
    std::uint32_t depth;  ///< restored at the end of the wait
  };

  std::optional<Step> refuse(std::uint64_t lock) {
    irregular_.insert(lock);
    return std::nullopt;
  }

  std::optional<Step> wait(std::uint32_t thread, std::uint64_t lock);
  std::optional<Step> wake(std::uint32_t thread, std::uint64_t lock);

  std::unordered_map<std::uint64_t, State> states_;
  std::vector<std::vector<Wait>> waits_;  ///< by thread, while it waits: more than one if a handler also waits
  std::uint64_t wait_count_ = 0;
  Waits interrupted_;
  std::unordered_set<std::uint64_t> irregular_;
};

}  // namespace omen::recording
