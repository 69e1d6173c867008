/// \file
/// Detects that the running thread does not reach its next point. It may be in a system call or wait for a lock of
/// uninstrumented code: it sleeps in the kernel, without interruption. Or it computes, or waits for a plain variable:
/// it has used the processor for long. Then it is *outside*, and another thread runs.
///
/// The parked threads look, each after a nap. Both criteria concern the thread itself, so other load on the machine
/// puts no thread outside. A thread that sleeps while an ended thread has not left the kernel yet is joining it, and is
/// not outside.
#include "capture/runtime/schedule/control.hpp"
#include "capture/runtime/schedule/explore/explorer.hpp"
#include "capture/runtime/threads/thread_state.hpp"

namespace omen::rt::explore {
namespace {

constexpr u64 kBetweenLooks = 15'000'000;
constexpr u32 kAsleep = 2;                  ///< consecutive looks that find the same sleep
constexpr u64 kLongComputed = 250'000'000;  ///< nanoseconds of the processor without a point

}  // namespace

/// A thread has executed its last operation, and does not sleep: it needs the processor to end.
bool Explorer::is_thread_ending() {
  for (u32 i = 0; i < count_; ++i) {
    Thread& thread = threads_[i];
    const u32 system_id = thread.system_id.load(std::memory_order_acquire);
    if (thread.where.load(std::memory_order_relaxed) != Where::Ended || thread.gone || system_id == 0) continue;
    const char state = state_of_thread(system_id);
    thread.gone = state == 'X' || state == 'Z';
    if (state == 'R' || state == 'D') return true;
  }
  return false;
}

bool Explorer::is_holder_outside(const Thread& holder) {
  const u32 system_id = holder.system_id.load(std::memory_order_acquire);
  if (system_id == 0) return false;
  const u64 now = schedule::monotonic_time();
  if (looked_points_ != points_) {
    looked_points_ = points_;
    looked_at_ = now;
    looked_state_ = kernel_state_of(system_id);
    asleep_ = 0;
    return false;
  }
  if (now - looked_at_ < kBetweenLooks) return false;
  looked_at_ = now;
  const KernelState state = kernel_state_of(system_id);
  if (state.state == 'S' && state.slices == looked_state_.slices) return ++asleep_ >= kAsleep && !is_thread_ending();
  asleep_ = 0;
  looked_state_.slices = state.slices;
  return state.cpu - looked_state_.cpu > kLongComputed;
}

void Explorer::look(ThreadState* state) {
  const Inside inside(state);
  const SpinGuard guard(lock_);
  if (is_over()) return;
  const u32 running = running_.load(std::memory_order_relaxed);
  const u32 self = state->explored == nullptr ? kNobody : state->explored->number;
  if (running == kNobody) return choose_next(self);
  Thread& holder = threads_[running];
  if (running == self || !is_holder_outside(holder)) return;
  holder.where.store(Where::Outside, std::memory_order_relaxed);
  outside_.fetch_add(1, std::memory_order_relaxed);
  looked_points_ = ~u64{0};
  running_.store(kNobody, std::memory_order_relaxed);
  choose_next(self);
}

}  // namespace omen::rt::explore
