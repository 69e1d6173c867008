/// \file
/// Semaphores, once-flags and the guards of static variables. They order like atomics: what was done before a release
/// is seen after an acquire of the same object.
#include <asm/unistd.h>
#include <errno.h>

#include "capture/runtime/interceptors/interceptor.hpp"
#include "capture/runtime/interceptors/touches.hpp"

using namespace omen::rt;
using omen::raw::RawOp;

namespace {

void record(RawOp op, const void* object, uptr pc) {
  if (ThreadState* const thread = recording_thread()) {
    recorder.synchronise(thread, op, reinterpret_cast<uptr>(object), 0, pc);
  }
}

}  // namespace

namespace {

/// A token was taken, or there was none. Who was interrupted learned nothing.
void waited(const void* semaphore, int result, uptr pc) {
  if (result == 0) return record(RawOp::SyncTake, semaphore, pc);
  const int error = errno;
  if (error != EAGAIN && error != ETIMEDOUT) return;
  if (ThreadState* const thread = recording_thread()) {
    recorder.refused(thread, RawOp::SyncRefused, reinterpret_cast<uptr>(semaphore), 0, pc);
  }
  errno = error;
}

}  // namespace

// A post releases: whoever waits after it comes after it, also if an earlier post was enough. A wait acquires from all
// posts so far and releases nothing, so waits do not order each other. (docs/capture.md)
OMEN_INTERCEPT(int, sem_post, (void* semaphore)) {
  touches(semaphore, 1, false, OMEN_CALLER);
  record(RawOp::SyncRelease, semaphore, OMEN_CALLER);
  return OMEN_REAL(sem_post)(semaphore);
}
OMEN_INTERCEPT(int, sem_wait, (void* semaphore)) {
  touches(semaphore, 1, false, OMEN_CALLER);
  const int result = OMEN_REAL(sem_wait)(semaphore);
  waited(semaphore, result, OMEN_CALLER);
  return result;
}
OMEN_INTERCEPT(int, sem_trywait, (void* semaphore)) {
  const int result = OMEN_REAL(sem_trywait)(semaphore);
  waited(semaphore, result, OMEN_CALLER);
  return result;
}
OMEN_INTERCEPT(int, sem_timedwait, (void* semaphore, const void* time)) {
  const int result = OMEN_REAL(sem_timedwait)(semaphore, time);
  waited(semaphore, result, OMEN_CALLER);
  return result;
}
OMEN_INTERCEPT(int, sem_clockwait, (void* semaphore, int clock, const void* time)) {
  const int result = OMEN_REAL(sem_clockwait)(semaphore, clock, time);
  waited(semaphore, result, OMEN_CALLER);
  return result;
}
OMEN_INTERCEPT(int, sem_getvalue, (void* semaphore, int* value)) {
  const int result = OMEN_REAL(sem_getvalue)(semaphore, value);
  if (result == 0) {
    record(RawOp::SyncAcquire, semaphore, OMEN_CALLER);
    record(RawOp::SyncRefused, semaphore, OMEN_CALLER);  // the value says who has taken a token
    touches(value, sizeof *value, true, OMEN_CALLER);
  }
  return result;
}
// To make or to destroy one is a write to its memory; nobody may use it at the same time.
OMEN_CALL(int, sem_init, (void* semaphore, int shared, unsigned value), (semaphore, shared, value),
          WRITE(semaphore, 1), )
OMEN_CALL(int, sem_destroy, (void* semaphore), (semaphore), WRITE(semaphore, 1), )

namespace {

extern "C" void __omen_run_once_routine(void (*routine)(), void* flag);
extern "C" __attribute__((visibility("hidden"))) void __omen_once_left(void* flag) {
  record(RawOp::SyncRelease, flag, OMEN_CALLER);
}

/// `pthread_once` hands over no argument, so the routine waits in the thread's state.
thread_local void* once_flag __attribute__((tls_model("initial-exec"))) = nullptr;
thread_local void (*once_routine)() __attribute__((tls_model("initial-exec"))) = nullptr;

void once_trampoline() {
  void (*const routine)() = once_routine;
  void* const flag = once_flag;
  record(RawOp::SyncAcquire, flag, OMEN_CALLER);  // an earlier call may have thrown half-way
  __omen_run_once_routine(routine, flag);
}

int run_once(int (*real)(void*, void (*)()), void* flag, void (*routine)(), uptr pc) {
  // The routine may itself come here.
  void (*const outer_routine)() = once_routine;
  void* const outer_flag = once_flag;
  once_routine = routine;
  once_flag = flag;
  const int result = real(flag, once_trampoline);
  once_routine = outer_routine;
  once_flag = outer_flag;
  record(RawOp::SyncAcquire, flag, pc);
  return result;
}

}  // namespace

OMEN_INTERCEPT(int, pthread_once, (void* flag, void (*routine)())) {
  return run_once(OMEN_REAL(pthread_once), flag, routine, OMEN_CALLER);
}

// The guards of function-local statics. Compiled code tests the first byte itself, as an atomic load of the same
// address, so that byte is what is released. The second says that somebody is at it, the third that somebody waits.
namespace {
constexpr u32 kDone = 1;
constexpr u32 kRunning = 1U << 8;
constexpr u32 kWaiting = 1U << 16;

std::atomic<u32>& guard_word(void* guard) {
  return *static_cast<std::atomic<u32>*>(guard);
}

void futex(std::atomic<u32>& word, int operation, u32 value) {
  system_call(__NR_futex, reinterpret_cast<long>(&word), operation, value, 0);
}

void finish_guard(void* guard, u32 state) {
  const u32 before = guard_word(guard).exchange(state, std::memory_order_acq_rel);
  if ((before & kWaiting) != 0) futex(guard_word(guard), 129 /* FUTEX_WAKE_PRIVATE */, 0x7fffffff);
}
}  // namespace

OMEN_INTERCEPT(int, __cxa_guard_acquire, (void* guard)) {
  std::atomic<u32>& word = guard_word(guard);
  for (;;) {
    u32 state = word.load(std::memory_order_acquire);
    if ((state & kDone) != 0) {
      record(RawOp::SyncAcquire, guard, OMEN_CALLER);
      return 0;
    }
    if (state == 0) {
      if (!word.compare_exchange_strong(state, kRunning, std::memory_order_acq_rel)) continue;
      record(RawOp::SyncAcquire, guard, OMEN_CALLER);  // an earlier try may have thrown half-way
      return 1;
    }
    if ((state & kWaiting) == 0 && !word.compare_exchange_strong(state, state | kWaiting)) continue;
    futex(word, 128 /* FUTEX_WAIT_PRIVATE */, state | kWaiting);
  }
}
OMEN_INTERCEPT(void, __cxa_guard_release, (void* guard)) {
  record(RawOp::SyncRelease, guard, OMEN_CALLER);
  finish_guard(guard, kDone);
}
OMEN_INTERCEPT(void, __cxa_guard_abort, (void* guard)) {
  record(RawOp::SyncRelease, guard, OMEN_CALLER);
  finish_guard(guard, 0);
}
