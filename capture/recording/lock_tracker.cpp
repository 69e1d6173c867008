#include "capture/recording/lock_tracker.hpp"

#include <algorithm>

namespace omen::recording {

using raw::RawOp;

std::optional<LockTracker::Step> LockTracker::step(std::uint32_t thread, RawOp op, std::uint64_t lock) {
  if (op == RawOp::Wait) return wait(thread, lock);
  if (op == RawOp::Wake) return wake(thread, lock);
  if (irregular_.contains(lock)) return std::nullopt;
  State& state = states_[lock];
  const auto by_thread = [thread](const Holder& holder) { return holder.thread == thread; };
  switch (op) {
    case RawOp::Acquire:
      if (!state.readers.empty()) return refuse(lock);
      if (!state.writer) {
        state.writer = Holder{thread, 1};
      } else if (state.writer->thread == thread) {
        ++state.writer->depth;
      } else {
        return refuse(lock);
      }
      return Step{Op::Acquire, 1};
    case RawOp::AcquireShared: {
      if (state.writer) return refuse(lock);
      const auto reader = std::ranges::find_if(state.readers, by_thread);
      if (reader != state.readers.end()) {
        ++reader->depth;
      } else {
        state.readers.push_back({thread, 1});
      }
      return Step{Op::AcquireShared, 1};
    }
    case RawOp::Release:
    case RawOp::ReleaseShared: {
      if (state.writer) {
        if (state.writer->thread != thread) return refuse(lock);
        if (--state.writer->depth == 0) state.writer.reset();
        return Step{Op::Release, 1};
      }
      const auto reader = std::ranges::find_if(state.readers, by_thread);
      if (reader == state.readers.end()) return refuse(lock);
      if (--reader->depth == 0) state.readers.erase(reader);
      return Step{Op::ReleaseShared, 1};
    }
    case RawOp::LockForget:
      if (state.writer || !state.readers.empty() || state.waiting != 0) return refuse(lock);
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

bool LockTracker::holds(std::uint32_t thread, std::uint64_t lock) const {
  const auto found = states_.find(lock);
  if (found == states_.end()) return false;
  const State& state = found->second;
  return (state.writer && state.writer->thread == thread) ||
         std::ranges::find(state.readers, thread, &Holder::thread) != state.readers.end();
}

/// Waits on irregular locks are also counted and stored: the numbers must be the same in both passes.
std::optional<LockTracker::Step> LockTracker::wait(std::uint32_t thread, std::uint64_t lock) {
  if (thread >= waits_.size()) waits_.resize(thread + 1);
  Wait& wait = waits_[thread].emplace_back(lock, wait_count_++, 0U);
  if (irregular_.contains(lock)) return std::nullopt;
  State& state = states_[lock];
  if (!state.writer || state.writer->thread != thread) return refuse(lock);
  wait.depth = state.writer->depth;
  state.writer.reset();
  ++state.waiting;
  return interrupted_.contains(wait.number) ? Step{Op::Release, wait.depth} : Step{Op::Wait, 1};
}

std::optional<LockTracker::Step> LockTracker::wake(std::uint32_t thread, std::uint64_t lock) {
  if (thread >= waits_.size()) return refuse(lock);
  // A handler that waits and jumps out of its wait leaves that wait on the stack, above this one.
  auto& waits = waits_[thread];
  while (!waits.empty() && waits.back().lock != lock) waits.pop_back();
  if (waits.empty()) return refuse(lock);
  const Wait wait = waits.back();
  waits.pop_back();
  if (irregular_.contains(lock)) return std::nullopt;
  State& state = states_[lock];
  if (state.writer || !state.readers.empty()) return refuse(lock);
  state.writer = Holder{thread, wait.depth};
  --state.waiting;
  return interrupted_.contains(wait.number) ? Step{Op::Acquire, wait.depth} : Step{Op::Wake, 1};
}

}  // namespace omen::recording
