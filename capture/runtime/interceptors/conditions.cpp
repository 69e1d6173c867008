/// \file
/// Condition variables and barriers. A wait releases its mutex and re-acquires it; it implies no other order.
#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "capture/runtime/foreign/c_library.hpp"
#include "capture/runtime/interceptors/attempts.hpp"
#include "capture/runtime/interceptors/interceptor.hpp"
#include "capture/runtime/interceptors/mutexes.hpp"
#include "capture/runtime/schedule/raw_points.hpp"
#include "capture/runtime/schedule/scheduler.hpp"

using namespace omen::rt;
using omen::raw::RawOp;

namespace {

void record(RawOp op, void* object, uptr pc, u32 detail = 0) {
  if (ThreadState* const thread = recording_thread()) {
    recorder.synchronise(thread, op, reinterpret_cast<uptr>(object), detail, pc);
  }
}

/// These objects are also memory: creating or destroying one while another thread uses it is a race.
void touched(void* object, bool write, uptr pc) {
  ThreadState* const thread = recording_thread();
  if (thread != nullptr && !is_for_uninstrumented_code(*thread, pc)) {
    recorder.range(thread, reinterpret_cast<uptr>(object), 1, write, pc);
  }
}

/// A wait with a mutex of another thread, or with an invalid time, fails and does not release the mutex.
bool begins_wait(void* condition, void* mutex, const void* until, uptr pc) {
  ThreadState* const thread = recording_thread();
  if (thread == nullptr) return false;
  touched(condition, false, pc);
  if (!can_unlock_mutex(thread, mutex)) return false;
  if (until != nullptr) {
    const long nanoseconds = static_cast<const timespec*>(until)->tv_nsec;
    if (nanoseconds < 0 || nanoseconds >= 1'000'000'000) return false;
  }
  record(RawOp::Wait, mutex, pc);
  return true;
}

}  // namespace

// waiting_call.c
extern "C" int __omen_wait(int (*)(void*, void*), void*, void*, void*);
extern "C" int __omen_timed_wait(int (*)(void*, void*, const void*), void*, void*, const void*, void*);
extern "C" int __omen_clock_wait(int (*)(void*, void*, int, const void*), void*, void*, int, const void*, void*);
extern "C" __attribute__((visibility("hidden"))) void __omen_wait_ended(void* mutex, void* place, int result) {
  record(RawOp::Wake, mutex, reinterpret_cast<uptr>(place), result == ETIMEDOUT ? omen::raw::kTimedOut : 0);
}

namespace {

constinit Real<int(void*)> real_unlock{"pthread_mutex_unlock", nullptr};
constinit Real<int(void*)> real_lock{"pthread_mutex_lock", nullptr};
constinit Real<int(void*)> real_try_lock{"pthread_mutex_trylock", nullptr};

/// Another process may signal it: waits use the C library.
bool is_shared(const void* condition) {
  return (static_cast<const pthread_cond_t*>(condition)->__data.__wrefs & 1) != 0;
}

/// Waits in a controlled run, where the scheduler blocks the waiters and draws which one wakes. The release of the
/// mutex was already reported. False: the run is not controlled.
bool waits_in_scheduler(void* condition, void* mutex, int clock, const void* time, uptr pc, int& result) {
  ThreadState* const thread = explored_thread();
  if (thread == nullptr || is_shared(condition)) return false;
  const u64 deadline = time == nullptr ? explore::Wait::kNever : deadline_of(clock, time);
  real_unlock.get()(mutex);
  const explore::WaitEnd end = explore::explorer.block(thread, {.kind = explore::WaitKind::Condition,
                                                                .object = reinterpret_cast<uptr>(condition),
                                                                .pc = pc,
                                                                .deadline = deadline});
  if (!take_lock(thread, mutex, LockType::Mutex, true, real_try_lock.get(), explore::Wait::kNever, pc, result)) {
    result = real_lock.get()(mutex);
  }
  const bool timed_out = end == explore::WaitEnd::TimedOut;
  record(RawOp::Wake, mutex, pc, timed_out ? omen::raw::kTimedOut : 0);
  pthread_testcancel();
  if (result == 0 && timed_out) result = ETIMEDOUT;
  return true;
}

/// The clock of the condition's attribute.
int clock_of(const void* condition) {
  return (static_cast<const pthread_cond_t*>(condition)->__data.__wrefs & 2) != 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

/// Before a signal: wakes up to `most` threads that wait in the scheduler.
OMEN_NOINLINE int signal_scheduled(void* condition, u32 most, Real<int(void*)>& real, uptr pc) {
  touched(condition, false, pc);
  if (schedule::leads()) return real.get()(condition);
  const uptr object = reinterpret_cast<uptr>(condition);
  if (ThreadState* const thread = explored_thread()) {
    explore::explorer.point(thread, {omen::PointKind::Release, object}, pc);
  }
  explore::explorer.wake_some(object, most);
  return real.get()(condition);
}

/// In a replayed run a wait ends when its turn has come, signalled or not, since the order has no signals. The release
/// of the mutex was already reported. False: the run is not, or no longer, controlled.
bool waits_for_turn(void* mutex, uptr pc, int& result) {
  ThreadState* const thread = recording_thread();
  if (thread == nullptr || !schedule::runs()) return false;
  real_unlock.get()(mutex);
  const schedule::Woken woken = schedule::await_wake(thread, pc);
  result = real_lock.get()(mutex);
  record(RawOp::Wake, mutex, pc, woken == schedule::Woken::TimedOut ? omen::raw::kTimedOut : 0);
  pthread_testcancel();
  if (result == 0 && woken == schedule::Woken::TimedOut) result = ETIMEDOUT;
  return true;
}

/// A wait in a run with a schedule. False: the wait uses the C library after all.
OMEN_NOINLINE bool waits_scheduled(void* condition, void* mutex, int clock, const void* time, uptr pc, int& result) {
  return waits_for_turn(mutex, pc, result) || waits_in_scheduler(condition, mutex, clock, time, pc, result);
}

}  // namespace

// Condition variables changed their layout once. Without the version the lookup would find the old functions.
#define OMEN_CONDITION_VERSION "GLIBC_2.3.2"

OMEN_INTERCEPT_VERSION(int, pthread_cond_wait, (void* condition, void* mutex), OMEN_CONDITION_VERSION) {
  if (!begins_wait(condition, mutex, nullptr, OMEN_CALLER)) return OMEN_REAL(pthread_cond_wait)(condition, mutex);
  if (int result = 0; schedule::on() && waits_scheduled(condition, mutex, 0, nullptr, OMEN_CALLER, result)) {
    return result;
  }
  return __omen_wait(OMEN_REAL(pthread_cond_wait), condition, mutex, __builtin_return_address(0));
}

OMEN_INTERCEPT_VERSION(int, pthread_cond_timedwait, (void* condition, void* mutex, const void* time),
                       OMEN_CONDITION_VERSION) {
  if (!begins_wait(condition, mutex, time, OMEN_CALLER))
    return OMEN_REAL(pthread_cond_timedwait)(condition, mutex, time);
  if (int result = 0;
      schedule::on() && waits_scheduled(condition, mutex, clock_of(condition), time, OMEN_CALLER, result)) {
    return result;
  }
  return __omen_timed_wait(OMEN_REAL(pthread_cond_timedwait), condition, mutex, time, __builtin_return_address(0));
}

OMEN_INTERCEPT(int, pthread_cond_clockwait, (void* condition, void* mutex, int clock, const void* time)) {
  if (!begins_wait(condition, mutex, time, OMEN_CALLER))
    return OMEN_REAL(pthread_cond_clockwait)(condition, mutex, clock, time);
  if (int result = 0; schedule::on() && waits_scheduled(condition, mutex, clock, time, OMEN_CALLER, result)) {
    return result;
  }
  return __omen_clock_wait(OMEN_REAL(pthread_cond_clockwait), condition, mutex, clock, time,
                           __builtin_return_address(0));
}

// These calls imply no order.
OMEN_INTERCEPT_VERSION(int, pthread_cond_init, (void* condition, const void* attributes), OMEN_CONDITION_VERSION) {
  touched(condition, true, OMEN_CALLER);
  return OMEN_REAL(pthread_cond_init)(condition, attributes);
}
OMEN_INTERCEPT_VERSION(int, pthread_cond_signal, (void* condition), OMEN_CONDITION_VERSION) {
  if (schedule::on()) return signal_scheduled(condition, 1, OMEN_REAL_OBJECT(pthread_cond_signal), OMEN_CALLER);
  touched(condition, false, OMEN_CALLER);
  return OMEN_REAL(pthread_cond_signal)(condition);
}
OMEN_INTERCEPT_VERSION(int, pthread_cond_broadcast, (void* condition), OMEN_CONDITION_VERSION) {
  if (schedule::on())
    return signal_scheduled(condition, ~u32{0}, OMEN_REAL_OBJECT(pthread_cond_broadcast), OMEN_CALLER);
  touched(condition, false, OMEN_CALLER);
  return OMEN_REAL(pthread_cond_broadcast)(condition);
}
OMEN_INTERCEPT_VERSION(int, pthread_cond_destroy, (void* condition), OMEN_CONDITION_VERSION) {
  touched(condition, true, OMEN_CALLER);
  return OMEN_REAL(pthread_cond_destroy)(condition);
}

namespace {

/// The fields of the C library's barrier that are used here.
struct BarrierLayout {
  unsigned in;
  unsigned round;
  unsigned count;
  int shared;
};

/// Waits in a controlled run. False: the run is not controlled, or the barrier is process-shared.
bool meets_in_scheduler(void* barrier, uptr pc, int& result) {
  ThreadState* const thread = explored_thread();
  const auto* const layout = static_cast<const BarrierLayout*>(barrier);
  if (thread == nullptr || layout->shared != 0) return false;
  const uptr object = reinterpret_cast<uptr>(barrier);
  if (explore::explorer.count_waiting(object) + 1 >= layout->count) {
    explore::explorer.wake_some(object, ~u32{0});
    result = PTHREAD_BARRIER_SERIAL_THREAD;
    return true;
  }
  result = 0;
  return explore::explorer.block(thread, {.kind = explore::WaitKind::Barrier, .object = object, .pc = pc}) !=
         explore::WaitEnd::Over;
}

OMEN_NOINLINE int meet_scheduled(void* barrier, Real<int(void*)>& real, uptr pc) {
  touched(barrier, false, pc);
  if (ThreadState* const thread = explored_thread()) {
    explore::explorer.point(thread, {omen::PointKind::Arrive, reinterpret_cast<uptr>(barrier)}, pc);
  }
  record(RawOp::BarrierArrive, barrier, pc);
  int result = 0;
  if (!meets_in_scheduler(barrier, pc, result)) result = real.get()(barrier);
  record(RawOp::BarrierLeave, barrier, pc);
  return result;
}

}  // namespace

OMEN_INTERCEPT(int, pthread_barrier_wait, (void* barrier)) {
  if (schedule::on()) return meet_scheduled(barrier, OMEN_REAL_OBJECT(pthread_barrier_wait), OMEN_CALLER);
  touched(barrier, false, OMEN_CALLER);
  record(RawOp::BarrierArrive, barrier, OMEN_CALLER);
  const int result = OMEN_REAL(pthread_barrier_wait)(barrier);
  record(RawOp::BarrierLeave, barrier, OMEN_CALLER);
  return result;  // the thread may destroy it now: destruction waits for the others to leave
}

OMEN_INTERCEPT(int, pthread_barrier_init, (void* barrier, const void* attributes, unsigned count)) {
  touched(barrier, true, OMEN_CALLER);
  return OMEN_REAL(pthread_barrier_init)(barrier, attributes, count);
}
OMEN_INTERCEPT(int, pthread_barrier_destroy, (void* barrier)) {
  touched(barrier, true, OMEN_CALLER);
  return OMEN_REAL(pthread_barrier_destroy)(barrier);
}
