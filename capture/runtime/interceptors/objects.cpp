/// \file
/// Semaphores, once-flags and the guards of static variables. They order like atomics: events before a release are seen
/// after an acquire of the same object.
#include <asm/unistd.h>
#include <errno.h>

#include "capture/runtime/interceptors/attempts.hpp"
#include "capture/runtime/interceptors/interceptor.hpp"
#include "capture/runtime/interceptors/pauses.hpp"
#include "capture/runtime/interceptors/touches.hpp"
#include "capture/runtime/interceptors/turns.hpp"

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

/// A token was taken, or there was none. An interrupted wait learns nothing.
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

// A post releases: a later wait is ordered after it, even if an earlier post was enough. A wait acquires from all posts
// so far and releases nothing, so waits do not order each other. (docs/capture.md)
namespace {

constinit Real<int(void*)> real_try_wait{"sem_trywait", nullptr};

/// The fields of the C library's semaphore that are used here.
struct SemaphoreLayout {
  u64 value;
  int shared;
};

/// Takes a token in an explored run. False: the run is not, or no longer, explored.
bool takes_token(void* semaphore, u64 deadline, uptr pc, int& result) {
  ThreadState* const thread = explored_thread();
  if (thread == nullptr) return false;
  const uptr object = reinterpret_cast<uptr>(semaphore);
  explore::test_cancel();
  explore::explorer.point(thread, {omen::PointKind::Take, object}, pc);
  for (;;) {
    result = real_try_wait.get()(semaphore);
    if (result == 0 || errno != EAGAIN) return true;
    switch (explore::explorer.block(thread, {.kind = explore::WaitKind::Semaphore,
                                             .object = object,
                                             .pc = pc,
                                             .deadline = deadline,
                                             .foreign = static_cast<SemaphoreLayout*>(semaphore)->shared != 0})) {
      case explore::WaitEnd::TimedOut:
        errno = ETIMEDOUT;
        return true;
      case explore::WaitEnd::Interrupted:
        if (!thread->explored->interrupted) break;
        errno = EINTR;
        return true;
      case explore::WaitEnd::Cancelled:
        explore::test_cancel();
        break;
      case explore::WaitEnd::Over:
        return false;
      default:
        break;
    }
  }
}

/// In a run with a schedule. `deadline` is evaluated only in an explored run; `call` executes the call itself.
template <class Deadline, class Call>
OMEN_NOINLINE int wait_scheduled(void* semaphore, uptr pc, Deadline deadline, Call call) {
  int result = 0;
  if (explored_thread() == nullptr || !takes_token(semaphore, deadline(), pc, result)) {
    await_turn(semaphore, pc);
    result = call();
  }
  waited(semaphore, result, pc);
  return result;
}

OMEN_NOINLINE int try_wait_scheduled(void* semaphore, Real<int(void*)>& real, uptr pc) {
  await_turn(semaphore, pc);
  int result = real.get()(semaphore);
  while (tries_again(result != 0 && errno == EAGAIN, pc)) result = real.get()(semaphore);
  waited(semaphore, result, pc);
  return result;
}

}  // namespace

OMEN_INTERCEPT(int, sem_post, (void* semaphore)) {
  touches(semaphore, 1, false, OMEN_CALLER);
  record(RawOp::SyncRelease, semaphore, OMEN_CALLER);
  const int result = OMEN_REAL(sem_post)(semaphore);
  pause_if_due(current_thread);
  return result;
}
OMEN_INTERCEPT(int, sem_wait, (void* semaphore)) {
  touches(semaphore, 1, false, OMEN_CALLER);
  const auto call = [=] { return OMEN_REAL(sem_wait)(semaphore); };
  if (schedule::on()) return wait_scheduled(semaphore, OMEN_CALLER, [] { return explore::Wait::kNever; }, call);
  const int result = call();
  waited(semaphore, result, OMEN_CALLER);
  return result;
}
OMEN_INTERCEPT(int, sem_trywait, (void* semaphore)) {
  if (schedule::on()) return try_wait_scheduled(semaphore, OMEN_REAL_OBJECT(sem_trywait), OMEN_CALLER);
  const int result = OMEN_REAL(sem_trywait)(semaphore);
  waited(semaphore, result, OMEN_CALLER);
  return result;
}
OMEN_INTERCEPT(int, sem_timedwait, (void* semaphore, const void* time)) {
  const auto call = [=] { return OMEN_REAL(sem_timedwait)(semaphore, time); };
  if (schedule::on()) {
    return wait_scheduled(semaphore, OMEN_CALLER, [=] { return deadline_of(CLOCK_REALTIME, time); }, call);
  }
  const int result = call();
  waited(semaphore, result, OMEN_CALLER);
  return result;
}
OMEN_INTERCEPT(int, sem_clockwait, (void* semaphore, int clock, const void* time)) {
  const auto call = [=] { return OMEN_REAL(sem_clockwait)(semaphore, clock, time); };
  if (schedule::on()) {
    return wait_scheduled(semaphore, OMEN_CALLER, [=] { return deadline_of(clock, time); }, call);
  }
  const int result = call();
  waited(semaphore, result, OMEN_CALLER);
  return result;
}
OMEN_INTERCEPT(int, sem_getvalue, (void* semaphore, int* value)) {
  await_turn(semaphore, OMEN_CALLER);
  const int result = OMEN_REAL(sem_getvalue)(semaphore, value);
  if (result == 0) {
    record(RawOp::SyncAcquire, semaphore, OMEN_CALLER);
    record(RawOp::SyncRefused, semaphore, OMEN_CALLER);  // the value depends on the tokens that threads have taken
    touches(value, sizeof *value, true, OMEN_CALLER);
  }
  return result;
}
// Initialising or destroying a semaphore writes its memory; no other thread may use it at the same time.
OMEN_CALL(int, sem_init, (void* semaphore, int shared, unsigned value), (semaphore, shared, value),
          WRITE(semaphore, 1), )
OMEN_CALL(int, sem_destroy, (void* semaphore), (semaphore), WRITE(semaphore, 1), )

namespace {

extern "C" void __omen_run_once_routine(void (*routine)(), void* flag);
extern "C" __attribute__((visibility("hidden"))) void __omen_once_left(void* flag) {
  record(RawOp::SyncRelease, flag, OMEN_CALLER);
}

/// `pthread_once` passes no argument to the routine, so the flag is stored in the thread's state.
thread_local void* once_flag __attribute__((tls_model("initial-exec"))) = nullptr;
thread_local void (*once_routine)() __attribute__((tls_model("initial-exec"))) = nullptr;

void once_trampoline() {
  void (*const routine)() = once_routine;
  void* const flag = once_flag;
  record(RawOp::SyncAcquire, flag, OMEN_CALLER);  // an earlier call may have thrown an exception
  __omen_run_once_routine(routine, flag);
}

/// In a controlled run: blocks in the scheduler while another thread runs the routine of the flag.
template <class Runs>
void await_other_routine(void* flag, uptr pc, Runs runs) {
  ThreadState* const thread = explored_thread();
  while (thread != nullptr && runs()) {
    const explore::Wait wait{.kind = explore::WaitKind::Once, .object = reinterpret_cast<uptr>(flag), .pc = pc};
    if (explore::explorer.block(thread, wait) == explore::WaitEnd::Over) return;
  }
}

OMEN_NOINLINE void await_once(void* flag, uptr pc) {
  await_turn(flag, pc);
  constexpr u32 kRunningRoutine = 1;  // in the two lowest bits; 2: it has run
  await_other_routine(
      flag, pc, [&] { return (__atomic_load_n(static_cast<u32*>(flag), __ATOMIC_ACQUIRE) & 3) == kRunningRoutine; });
}

int run_once(int (*real)(void*, void (*)()), void* flag, void (*routine)(), uptr pc) {
  // The routine may itself call `pthread_once`.
  void (*const outer_routine)() = once_routine;
  void* const outer_flag = once_flag;
  once_routine = routine;
  once_flag = flag;
  if (schedule::on()) await_once(flag, pc);
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

// The guards of function-local statics. Compiled code tests the first byte itself, with an atomic load of the same
// address, so that byte is the released object. The second byte says that a thread runs the initialiser, the third that
// a thread waits.
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

namespace {
OMEN_NOINLINE void await_guard(void* guard, uptr pc) {
  await_other_routine(guard, pc, [&] { return (guard_word(guard).load(std::memory_order_acquire) & kRunning) != 0; });
}
}  // namespace

OMEN_INTERCEPT(int, __cxa_guard_acquire, (void* guard)) {
  std::atomic<u32>& word = guard_word(guard);
  await_turn(guard, OMEN_CALLER);
  for (;;) {
    u32 state = word.load(std::memory_order_acquire);
    if ((state & kDone) != 0) {
      record(RawOp::SyncAcquire, guard, OMEN_CALLER);
      return 0;
    }
    if (state == 0) {
      if (!word.compare_exchange_strong(state, kRunning, std::memory_order_acq_rel)) continue;
      record(RawOp::SyncAcquire, guard, OMEN_CALLER);  // an earlier initialiser may have thrown an exception
      return 1;
    }
    if (schedule::on()) await_guard(guard, OMEN_CALLER);
    state = word.load(std::memory_order_acquire);
    if ((state & kRunning) == 0) continue;
    if ((state & kWaiting) == 0 && !word.compare_exchange_strong(state, state | kWaiting)) continue;
    futex(word, 128 /* FUTEX_WAIT_PRIVATE */, state | kWaiting);
  }
}
OMEN_INTERCEPT(void, __cxa_guard_release, (void* guard)) {
  if (schedule::replays()) {  // after the step, others read the guard without a call
    await_turn(guard, OMEN_CALLER);
    finish_guard(guard, kDone);
    return record(RawOp::SyncRelease, guard, OMEN_CALLER);
  }
  record(RawOp::SyncRelease, guard, OMEN_CALLER);
  finish_guard(guard, kDone);
}
OMEN_INTERCEPT(void, __cxa_guard_abort, (void* guard)) {
  record(RawOp::SyncRelease, guard, OMEN_CALLER);
  finish_guard(guard, 0);
}
