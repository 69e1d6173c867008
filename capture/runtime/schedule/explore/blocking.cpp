/// \file
/// Blocked threads, and the virtual time.
///
/// `wake` is called before the release itself, for example before an unlock. That is early enough: it only makes the
/// waiting threads ready, and the releasing thread holds the token until its next point, which comes after the release.
#include "capture/runtime/schedule/control.hpp"
#include "capture/runtime/schedule/explore/explorer.hpp"
#include "capture/runtime/threads/thread_state.hpp"

namespace omen::rt::explore {
namespace {

bool is_blocked_at(const Thread& thread, uptr object) {
  return thread.where.load(std::memory_order_relaxed) == Where::Blocked && thread.wait.object == object;
}

/// Attempting these waits again changes nothing.
bool is_event(WaitKind kind) {
  return kind == WaitKind::Condition || kind == WaitKind::Barrier || kind == WaitKind::Time || kind == WaitKind::Exit;
}

bool can_be_cancelled(WaitKind kind) {
  return kind != WaitKind::Lock && kind != WaitKind::Barrier && kind != WaitKind::Once && kind != WaitKind::Exit;
}

}  // namespace

WaitEnd Explorer::block(ThreadState* state, const Wait& wait) {
  Thread* const me = state->explored;
  if (me == nullptr || is_over()) return WaitEnd::Over;
  {
    const Inside inside(state);
    const SpinGuard guard(lock_);
    if (me->where.load(std::memory_order_relaxed) == Where::Outside) outside_.fetch_sub(1, std::memory_order_relaxed);
    me->wait = wait;
    me->pc = wait.pc;
    me->retry = false;
    me->interrupted = me->handler_ran = false;
    me->seen_effects = effects_;
    me->wait_end = WaitEnd::Woken;
    if (me->cancelled && can_be_cancelled(wait.kind)) {
      me->cancelled = false;
      return WaitEnd::Cancelled;
    }
    me->where.store(Where::Blocked, std::memory_order_relaxed);
    if (wait.kind == WaitKind::Lock && wait.deadline == Wait::kNever && closes_cycle(*me)) end_with("deadlock");
    if (running_.load(std::memory_order_relaxed) == me->number) running_.store(kNobody, std::memory_order_relaxed);
    if (running_.load(std::memory_order_relaxed) == kNobody) choose_next(me->number);
  }
  park(state, *me);
  if (is_over()) return WaitEnd::Over;
  if (me->handler_ran && me->wait_end == WaitEnd::Woken && !is_event(wait.kind)) return WaitEnd::Interrupted;
  return me->wait_end;
}

void Explorer::make_ready(Thread& thread, WaitEnd end) {
  thread.wait_end = end;
  thread.retry = false;
  thread.yields = false;
  thread.where.store(Where::Ready, std::memory_order_relaxed);
  strategy_.arrive(thread.number, thread.pending);
}

void Explorer::wake(uptr object) {
  if (threads_ == nullptr) return;
  const SpinGuard guard(lock_);
  ++effects_;
  for (u32 i = 0; i < count_; ++i) {
    if (is_blocked_at(threads_[i], object) && !is_event(threads_[i].wait.kind)) make_ready(threads_[i], WaitEnd::Woken);
  }
}

u32 Explorer::wake_some(uptr object, u32 most) {
  if (threads_ == nullptr) return 0;
  const SpinGuard guard(lock_);
  ++effects_;
  u32 woken = 0;
  while (woken < most) {
    u32 waiting[Strategy::kMostThreads];
    u32 count = 0;
    for (u32 i = 0; i < count_; ++i) {
      if (is_blocked_at(threads_[i], object)) waiting[count++] = i;
    }
    if (count == 0) break;
    const u32 at = count == 1 || count <= most - woken ? 0 : strategy_.random().below(count);
    make_ready(threads_[waiting[at]], WaitEnd::Woken);
    ++woken;
  }
  return woken;
}

u32 Explorer::count_waiting(uptr object) {
  const SpinGuard guard(lock_);
  u32 count = 0;
  for (u32 i = 0; i < count_; ++i) count += is_blocked_at(threads_[i], object) ? 1 : 0;
  return count;
}

/// Condition waits may wake spuriously. Wakes a few, early and late in the run.
void Explorer::draw_spurious_wake() {
  if (spurious_left_ == 0) return;
  u32 waiting[Strategy::kMostThreads];
  u32 count = 0;
  for (u32 i = 0; i < count_; ++i) {
    const Thread& thread = threads_[i];
    if (thread.where.load(std::memory_order_relaxed) == Where::Blocked && thread.wait.kind == WaitKind::Condition) {
      waiting[count++] = i;
    }
  }
  if (count == 0 || !strategy_.random().one_in(64)) return;
  --spurious_left_;
  make_ready(threads_[waiting[strategy_.random().below(count)]], WaitEnd::Woken);
}

void Explorer::wake_pollers() {
  for (u32 i = 0; i < count_; ++i) {
    Thread& thread = threads_[i];
    if (thread.where.load(std::memory_order_relaxed) != Where::Blocked || thread.wait.kind != WaitKind::Poll) continue;
    if (thread.seen_effects == effects_ || !strategy_.random().one_in(4)) continue;
    make_ready(thread, WaitEnd::Woken);
  }
}

bool Explorer::advance_time() {
  Thread* first = nullptr;
  for (u32 i = 0; i < count_; ++i) {
    Thread& thread = threads_[i];
    if (thread.where.load(std::memory_order_relaxed) != Where::Blocked || thread.wait.deadline == Wait::kNever)
      continue;
    if (first == nullptr || thread.wait.deadline < first->wait.deadline) first = &thread;
  }
  if (first == nullptr) return false;
  // A thread that is outside lives in real time.
  if (has_outside()) {
    const u64 now = schedule::monotonic_time();
    if (advanced_at_ == 0) advanced_at_ = now;
    if (now - advanced_at_ < kMillisecond) return false;
    advanced_at_ = now;
    now_ += kMillisecond;
    if (first->wait.deadline > now_) return false;
  }
  if (first->wait.deadline > now_) now_ = first->wait.deadline;
  ++effects_;
  for (u32 i = 0; i < count_; ++i) {
    Thread& thread = threads_[i];
    if (thread.where.load(std::memory_order_relaxed) == Where::Blocked && thread.wait.deadline <= now_) {
      make_ready(thread, WaitEnd::TimedOut);
    }
  }
  return true;
}

/// No thread can run. A release may have been missed, so all blocked threads attempt once more, one after the other.
/// This does not ask the strategy: how often it happens may depend on the real time.
bool Explorer::retry_blocked(u32 self) {
  if (retried_at_ != effects_) {
    retried_at_ = effects_;
    for (u32 i = 0; i < count_; ++i) {
      Thread& thread = threads_[i];
      const Wait& wait = thread.wait;
      // A futex waiter that is not woken stays blocked, even if the value has changed.
      thread.retry = thread.where.load(std::memory_order_relaxed) == Where::Blocked && !is_event(wait.kind) &&
                     (wait.kind != WaitKind::Word || wait.foreign);
    }
  }
  for (u32 i = 0; i < count_; ++i) {
    Thread& thread = threads_[i];
    if (!thread.retry || thread.where.load(std::memory_order_relaxed) != Where::Blocked) continue;
    thread.retry = false;
    thread.wait_end = WaitEnd::Woken;
    grant(thread, self);
    return true;
  }
  return false;
}

void Explorer::nobody_can_go(u32) {
  constexpr u64 kGrace = 50 * kMillisecond;
  u32 alive = 0;
  for (u32 i = 0; i < count_; ++i) {
    alive += threads_[i].where.load(std::memory_order_relaxed) != Where::Ended ? 1 : 0;
  }
  if (alive == 0 || has_outside()) return;
  const u64 now = schedule::monotonic_time();
  if (stuck_since_ == 0) {
    stuck_since_ = now;
    return;
  }
  if (now - stuck_since_ < kGrace) return;
  if (is_wait_for_outside()) {
    retried_at_ = effects_ - 1;  // and again
    return;
  }
  bool waits_for_event = false;
  for (u32 i = 0; i < count_; ++i) {
    const Thread& thread = threads_[i];
    if (thread.where.load(std::memory_order_relaxed) != Where::Blocked) continue;
    const WaitKind kind = thread.wait.kind;
    waits_for_event |= kind == WaitKind::Condition || kind == WaitKind::Word;
  }
  end_with(waits_for_event ? "lost-wakeup" : "deadlock");
}

void Explorer::interrupt(Thread& thread) {
  // A thread that has arrived at a barrier stays there: its handlers run after it.
  if (thread.where.load(std::memory_order_relaxed) == Where::Blocked && thread.wait.kind != WaitKind::Barrier) {
    make_ready(thread, WaitEnd::Interrupted);
  }
}

void Explorer::interrupt_pending() {
  if (threads_ == nullptr) return;
  const SpinGuard guard(lock_);
  for (u32 i = 0; i < count_; ++i) {
    Thread& thread = threads_[i];
    if (thread.state != nullptr && thread.state->signals.any.load(std::memory_order_relaxed) != 0) interrupt(thread);
  }
}

void Explorer::note_handler(ThreadState* state, bool restarts) {
  Thread* const me = state->explored;
  if (me == nullptr) return;
  me->handler_ran = true;
  if (!restarts) me->interrupted = true;
}

void Explorer::cancel(u32 id) {
  if (threads_ == nullptr) return;
  const SpinGuard guard(lock_);
  ++effects_;
  for (u32 i = 0; i < count_; ++i) {
    Thread& thread = threads_[i];
    if (thread.id != id || thread.where.load(std::memory_order_relaxed) == Where::Ended) continue;
    if (thread.where.load(std::memory_order_relaxed) == Where::Blocked && can_be_cancelled(thread.wait.kind)) {
      make_ready(thread, WaitEnd::Cancelled);
    } else {
      thread.cancelled = true;
    }
  }
}

bool Explorer::is_parked(const ThreadState* state) const {
  const Thread* const me = state->explored;
  if (me == nullptr || is_over()) return false;
  const Where where = me->where.load(std::memory_order_relaxed);
  return where == Where::Ready || where == Where::Blocked;
}

bool Explorer::has_ended(u32 id) {
  const SpinGuard guard(lock_);
  for (u32 i = 0; i < count_; ++i) {
    if (threads_[i].id == id) return threads_[i].where.load(std::memory_order_relaxed) == Where::Ended;
  }
  return true;
}
bool Explorer::has_others(const ThreadState* state) {
  const SpinGuard guard(lock_);
  for (u32 i = 0; i < count_; ++i) {
    if (&threads_[i] != state->explored && threads_[i].where.load(std::memory_order_relaxed) != Where::Ended)
      return true;
  }
  return false;
}
bool Explorer::knows(u32 id) {
  const SpinGuard guard(lock_);
  for (u32 i = 0; i < count_; ++i) {
    if (threads_[i].id == id) return true;
  }
  return false;
}

void Explorer::note_clock_read(ThreadState* state, uptr pc) {
  // A loop that waits for the time does nothing else; other loops read it now and then.
  point(state, {PointKind::Load, 0}, pc);
}

void Explorer::hold(ThreadState* state, uptr object, bool exclusive) {
  Thread* const me = state->explored;
  if (me != nullptr && me->held_count < Thread::kMostHeld) me->held[me->held_count++] = {object, exclusive};
}

void Explorer::let_go(ThreadState* state, uptr object) {
  Thread* const me = state->explored;
  if (me == nullptr) return;
  for (u32 i = me->held_count; i-- > 0;) {
    if (me->held[i].object != object) continue;
    for (; i + 1 < me->held_count; ++i) me->held[i] = me->held[i + 1];
    --me->held_count;
    return;
  }
}

}  // namespace omen::rt::explore
