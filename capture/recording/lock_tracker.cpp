#include "capture/recording/lock_tracker.hpp"

#include <algorithm>

namespace omen::recording {

using raw::RawOp;

std::optional<Op> LockTracker::step(std::uint32_t thread, RawOp op, std::uint64_t lock) {
  if (irregular_.contains(lock)) {
    if (op == RawOp::Wake) end_wait(thread);
    return std::nullopt;
  }
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
      return Op::Acquire;
    case RawOp::AcquireShared: {
      if (state.writer) return refuse(lock);
      const auto reader = std::ranges::find_if(state.readers, by_thread);
      if (reader != state.readers.end()) {
        ++reader->depth;
      } else {
        state.readers.push_back({thread, 1});
      }
      return Op::AcquireShared;
    }
    case RawOp::Release:
    case RawOp::ReleaseShared: {
      if (state.writer) {
        if (state.writer->thread != thread) return refuse(lock);
        if (--state.writer->depth == 0) state.writer.reset();
        return Op::Release;
      }
      const auto reader = std::ranges::find_if(state.readers, by_thread);
      if (reader == state.readers.end()) return refuse(lock);
      if (--reader->depth == 0) state.readers.erase(reader);
      return Op::ReleaseShared;
    }
    case RawOp::Wait:
      if (!state.writer || state.writer->thread != thread) return refuse(lock);
      state.waiting.push_back(*state.writer);
      state.writer.reset();
      if (thread >= waits_.size()) waits_.resize(thread + 1);
      waits_[thread] = lock;
      return Op::Wait;
    case RawOp::Wake: {
      const auto waiter = std::ranges::find_if(state.waiting, by_thread);
      end_wait(thread);
      if (waiter == state.waiting.end() || state.writer || !state.readers.empty()) return refuse(lock);
      state.writer = *waiter;
      state.waiting.erase(waiter);
      return Op::Wake;
    }
    case RawOp::LockForget:
      if (state.writer || !state.readers.empty() || !state.waiting.empty()) return refuse(lock);
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace omen::recording
