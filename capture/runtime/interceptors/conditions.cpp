/// \file
/// Condition variables and barriers. A wait gives its mutex up and takes it back; that is all that it orders.
#include <time.h>

#include "capture/runtime/interceptors/interceptor.hpp"
#include "capture/runtime/interceptors/mutexes.hpp"

using namespace omen::rt;
using omen::raw::RawOp;

namespace {

void record(RawOp op, void* object, uptr pc) {
  if (ThreadState* const thread = recording_thread()) {
    recorder.synchronise(thread, op, reinterpret_cast<uptr>(object), 0, pc);
  }
}

/// These objects are memory too: to make or destroy one while another thread uses it is a race.
void touched(void* object, bool write, uptr pc) {
  if (ThreadState* const thread = recording_thread()) {
    recorder.range(thread, reinterpret_cast<uptr>(object), 1, write, pc);
  }
}

/// A wait with a mutex of somebody else or with a time that is none fails and does not give the mutex up.
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
extern "C" __attribute__((visibility("hidden"))) void __omen_wait_ended(void* mutex, void* place) {
  record(RawOp::Wake, mutex, reinterpret_cast<uptr>(place));
}

// Condition variables changed their layout once; without the version the old functions would be found.
#define OMEN_CONDITION_VERSION "GLIBC_2.3.2"

OMEN_INTERCEPT_VERSION(int, pthread_cond_wait, (void* condition, void* mutex), OMEN_CONDITION_VERSION) {
  if (!begins_wait(condition, mutex, nullptr, OMEN_CALLER)) return OMEN_REAL(pthread_cond_wait)(condition, mutex);
  return __omen_wait(OMEN_REAL(pthread_cond_wait), condition, mutex, __builtin_return_address(0));
}

OMEN_INTERCEPT_VERSION(int, pthread_cond_timedwait, (void* condition, void* mutex, const void* time),
                       OMEN_CONDITION_VERSION) {
  if (!begins_wait(condition, mutex, time, OMEN_CALLER))
    return OMEN_REAL(pthread_cond_timedwait)(condition, mutex, time);
  return __omen_timed_wait(OMEN_REAL(pthread_cond_timedwait), condition, mutex, time, __builtin_return_address(0));
}

OMEN_INTERCEPT(int, pthread_cond_clockwait, (void* condition, void* mutex, int clock, const void* time)) {
  if (!begins_wait(condition, mutex, time, OMEN_CALLER))
    return OMEN_REAL(pthread_cond_clockwait)(condition, mutex, clock, time);
  return __omen_clock_wait(OMEN_REAL(pthread_cond_clockwait), condition, mutex, clock, time,
                           __builtin_return_address(0));
}

// These order nothing.
OMEN_INTERCEPT_VERSION(int, pthread_cond_init, (void* condition, const void* attributes), OMEN_CONDITION_VERSION) {
  touched(condition, true, OMEN_CALLER);
  return OMEN_REAL(pthread_cond_init)(condition, attributes);
}
OMEN_INTERCEPT_VERSION(int, pthread_cond_signal, (void* condition), OMEN_CONDITION_VERSION) {
  touched(condition, false, OMEN_CALLER);
  return OMEN_REAL(pthread_cond_signal)(condition);
}
OMEN_INTERCEPT_VERSION(int, pthread_cond_broadcast, (void* condition), OMEN_CONDITION_VERSION) {
  touched(condition, false, OMEN_CALLER);
  return OMEN_REAL(pthread_cond_broadcast)(condition);
}
OMEN_INTERCEPT_VERSION(int, pthread_cond_destroy, (void* condition), OMEN_CONDITION_VERSION) {
  touched(condition, true, OMEN_CALLER);
  return OMEN_REAL(pthread_cond_destroy)(condition);
}

OMEN_INTERCEPT(int, pthread_barrier_wait, (void* barrier)) {
  touched(barrier, false, OMEN_CALLER);
  record(RawOp::BarrierArrive, barrier, OMEN_CALLER);
  const int result = OMEN_REAL(pthread_barrier_wait)(barrier);
  record(RawOp::BarrierLeave, barrier, OMEN_CALLER);
  return result;  // whoever has come back may destroy it: that waits for the others to leave
}

OMEN_INTERCEPT(int, pthread_barrier_init, (void* barrier, const void* attributes, unsigned count)) {
  touched(barrier, true, OMEN_CALLER);
  return OMEN_REAL(pthread_barrier_init)(barrier, attributes, count);
}
OMEN_INTERCEPT(int, pthread_barrier_destroy, (void* barrier)) {
  touched(barrier, true, OMEN_CALLER);
  return OMEN_REAL(pthread_barrier_destroy)(barrier);
}
