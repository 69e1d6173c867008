/// \file
/// Blocking operations under the scheduler of `omen explore` (docs/explore.md). The thread attempts the operation, and
/// if that fails it blocks in the scheduler until another attempt may succeed. So no thread sleeps in the C library
/// while it holds the token.
///
/// Each function here is called for a thread that `explored_thread` returned. The clean-up handlers of a cancelled
/// thread run inside of them, so they hold no locks.
#pragma once

#include <errno.h>
#include <time.h>

#include "capture/runtime/schedule/explore/explore.hpp"

namespace omen::rt {

using explore::explored_thread;

enum class LockType : u8 { Mutex, ReadWrite, Spin };

/// Takes a lock. False: the caller must execute the call itself, which fails at once or belongs to a run that is over.
bool take_lock(ThreadState* thread, void* lock, LockType type, bool exclusive, int (*attempt)(void*), u64 deadline,
               uptr pc, int& result);
/// Converts the `timespec` of a lock or condition to a deadline.
u64 deadline_of(int clock, const void* time);

/// Sleeps in virtual time. False: sleep in real time. Otherwise `left` is the time that remained when a signal
/// interrupted the sleep; 0: none.
bool sleep_until(ThreadState* thread, u64 deadline, uptr pc, u64& left);

/// Waits until `is_ready`, an attempt that does not block. False: the run is over.
template <class Ready>
bool poll_until(ThreadState* thread, u64 deadline, uptr pc, bool& timed_out, bool& interrupted, Ready is_ready) {
  timed_out = interrupted = false;
  for (;;) {
    if (is_ready()) return true;
    switch (explore::explorer.block(
        thread, {.kind = explore::WaitKind::Poll, .pc = pc, .deadline = deadline, .foreign = true})) {
      case explore::WaitEnd::TimedOut:
        timed_out = true;
        return true;
      case explore::WaitEnd::Interrupted:
        interrupted = thread->explored->interrupted;
        if (interrupted) return true;
        break;
      case explore::WaitEnd::Over:
        return false;
      default:
        explore::test_cancel();
    }
  }
}

/// A call that waits for one of several descriptors: `call(false)` only polls. `nanoseconds`: how long it may wait.
template <class Call>
OMEN_NOINLINE auto poll_scheduled(u64 nanoseconds, uptr pc, Call call) {
  ThreadState* const thread = explored_thread();
  if (thread == nullptr) return call(true);
  explore::test_cancel();
  explore::explorer.point(thread, {PointKind::Both, 0}, pc);
  const u64 deadline = nanoseconds == explore::Wait::kNever ? explore::Wait::kNever : explore::deadline_in(nanoseconds);
  bool timed_out = false;
  bool interrupted = false;
  auto result = call(false);
  const auto is_ready = [&] { return (result = call(false)) != 0; };
  if (result != 0 || nanoseconds == 0) return result;
  if (!poll_until(thread, deadline, pc, timed_out, interrupted, is_ready)) return call(true);
  if (!interrupted || result != 0) return result;
  errno = EINTR;
  return decltype(result){-1};
}
template <class Call>
OMEN_INLINE auto poll_in_scheduler(u64 nanoseconds, uptr pc, Call call) {
  return schedule::on() ? poll_scheduled(nanoseconds, pc, call) : call(true);
}
/// The timeout of `poll`: negative means none.
inline u64 milliseconds(int timeout) {
  return timeout < 0 ? explore::Wait::kNever : static_cast<u64>(timeout) * 1'000'000;
}
inline u64 nanoseconds_of(const timespec* time) {
  return time == nullptr ? explore::Wait::kNever
                         : static_cast<u64>(time->tv_sec) * 1'000'000'000 + static_cast<u64>(time->tv_nsec);
}

}  // namespace omen::rt
