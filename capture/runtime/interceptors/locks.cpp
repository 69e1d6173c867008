/// \file
/// Mutexes, reader/writer locks and spin locks. A lock is recorded after it was acquired and before it is released, so
/// its sections do not overlap in the recording. A failed attempt is recorded after it failed; the conversion
/// determines which section refused it (capture/recording/refusals.hpp).
#include <pthread.h>

#include "capture/runtime/foreign/c_library.hpp"
#include "capture/runtime/interceptors/attempts.hpp"
#include "capture/runtime/interceptors/interceptor.hpp"
#include "capture/runtime/interceptors/mutexes.hpp"
#include "capture/runtime/interceptors/pauses.hpp"
#include "capture/runtime/interceptors/turns.hpp"

using namespace omen::rt;
using omen::raw::RawOp;

namespace {

constexpr int kOwnerDead = 130;  // EOWNERDEAD: the lock is taken, its last holder died
constexpr int kBusy = 16;        // EBUSY
constexpr int kTimedOut = 110;   // ETIMEDOUT

bool is_time(const void* time) {
  const long nanoseconds = static_cast<const timespec*>(time)->tv_nsec;
  return nanoseconds >= 0 && nanoseconds < 1'000'000'000;
}

/// Another thread held the lock when an attempt failed or timed out.
void refused(ThreadState* thread, void* lock, bool shared, uptr pc) {
  recorder.refused(thread, RawOp::Refused, reinterpret_cast<uptr>(lock), shared ? 1 : 0, pc);
}

OMEN_INLINE void locked(void* lock, RawOp op, int result, bool attempt, uptr pc) {
  ThreadState* const thread = recording_thread();
  if (thread == nullptr) return;
  if (OMEN_UNLIKELY(result == kBusy || result == kTimedOut)) {
    refused(thread, lock, op == RawOp::AcquireShared, pc);
  } else if (result == 0 || result == kOwnerDead) {
    recorder.synchronise(thread, op, reinterpret_cast<uptr>(lock), attempt ? 1 : 0, pc);
  }
}

void unlocking(void* lock, RawOp op, uptr pc) {
  if (ThreadState* const thread = recording_thread()) {
    recorder.synchronise(thread, op, reinterpret_cast<uptr>(lock), 0, pc);
  }
}

/// Initialising or destroying a lock writes its memory; in the trace, acquiring it is a read (capture/recording).
void written(void* lock, uptr pc) {
  ThreadState* const thread = recording_thread();
  if (thread != nullptr && !is_for_uninstrumented_code(*thread, pc)) {
    recorder.range(thread, reinterpret_cast<uptr>(lock), 1, true, pc);
  }
}

void forget(void* lock, uptr pc) {
  written(lock, pc);
  if (ThreadState* const thread = recording_thread()) {
    recorder.synchronise(thread, RawOp::LockForget, reinterpret_cast<uptr>(lock), 0, pc);
  }
}

/// True: the scheduler of a controlled run has decided, and `result` says whether the lock was taken.
bool takes(void* lock, RawOp op, LockType type, int (*attempt)(void*), uptr pc, int& result, int clock = 0,
           const void* time = nullptr) {
  ThreadState* const thread = explored_thread();
  if (OMEN_LIKELY(thread == nullptr)) return false;
  if (time != nullptr && !is_time(time)) return false;  // the call reports that if it has to wait
  const u64 deadline = time == nullptr ? explore::Wait::kNever : deadline_of(clock, time);
  return take_lock(thread, lock, type, op == RawOp::Acquire, attempt, deadline, pc, result);
}

// A run with a schedule uses separate functions, so that the ordinary ones contain only a jump to them. Both take the
// lock in the same register.

using LockCall = Real<int(void*)>;

template <RawOp op, LockType type, LockCall& real, LockCall& attempt>
OMEN_NOINLINE int lock_scheduled(void* lock, uptr pc) {
  int result = 0;
  if (!takes(lock, op, type, attempt.get(), pc, result)) {
    await_turn(lock, pc);
    result = real.get()(lock);
  }
  locked(lock, op, result, false, pc);
  return result;
}

template <RawOp op, LockCall& real>
OMEN_NOINLINE int try_scheduled(void* lock, uptr pc) {
  await_turn(lock, pc);
  int result = real.get()(lock);
  while (tries_again(result == kBusy, pc)) result = real.get()(lock);
  locked(lock, op, result, true, pc);
  return result;
}

/// `call` executes the call itself.
template <class Call>
OMEN_NOINLINE int timed_lock_scheduled(void* lock, RawOp op, LockType type, LockCall& attempt, int clock,
                                       const void* time, uptr pc, Call call) {
  int result = 0;
  if (!takes(lock, op, type, attempt.get(), pc, result, clock, time)) {
    await_turn(lock, pc);
    result = call();
  }
  locked(lock, op, result, true, pc);
  return result;
}

/// Keeps the result in the return register. With the path of a scheduled run next to it, GCC would choose another
/// register, and save that.
OMEN_INLINE int in_place(int result) {
  asm("" : "+a"(result));
  return result;
}

}  // namespace

#define OMEN_LOCK_SCHEDULED(name, op, type, attempt)                                                                  \
  if (schedule::on()) {                                                                                               \
    return lock_scheduled<RawOp::op, LockType::type, OMEN_REAL_OBJECT(name), OMEN_REAL_OBJECT(attempt)>(lock,         \
                                                                                                        OMEN_CALLER); \
  }
#define OMEN_LOCK(name, op, type, attempt)               \
  OMEN_INTERCEPT(int, name, (void* lock)) {              \
    OMEN_LOCK_SCHEDULED(name, op, type, attempt)         \
    const int result = in_place(OMEN_REAL(name)(lock));  \
    locked(lock, RawOp::op, result, false, OMEN_CALLER); \
    return result;                                       \
  }
#define OMEN_TRY_LOCK(name, op)                                                                     \
  OMEN_INTERCEPT(int, name, (void* lock)) {                                                         \
    if (schedule::on()) return try_scheduled<RawOp::op, OMEN_REAL_OBJECT(name)>(lock, OMEN_CALLER); \
    const int result = in_place(OMEN_REAL(name)(lock));                                             \
    locked(lock, RawOp::op, result, true, OMEN_CALLER);                                             \
    return result;                                                                                  \
  }
#define OMEN_TIMED_LOCK(name, op, type, attempt)                                                                    \
  OMEN_INTERCEPT(int, name, (void* lock, const void* time)) {                                                       \
    const auto call = [=] { return OMEN_REAL(name)(lock, time); };                                                  \
    if (schedule::on()) {                                                                                           \
      return timed_lock_scheduled(lock, RawOp::op, LockType::type, OMEN_REAL_OBJECT(attempt), CLOCK_REALTIME, time, \
                                  OMEN_CALLER, call);                                                               \
    }                                                                                                               \
    const int result = in_place(call());                                                                            \
    locked(lock, RawOp::op, result, true, OMEN_CALLER);                                                             \
    return result;                                                                                                  \
  }
#define OMEN_CLOCK_LOCK(name, op, type, attempt)                                                           \
  OMEN_INTERCEPT(int, name, (void* lock, int clock, const void* time)) {                                   \
    const auto call = [=] { return OMEN_REAL(name)(lock, clock, time); };                                  \
    if (schedule::on()) {                                                                                  \
      return timed_lock_scheduled(lock, RawOp::op, LockType::type, OMEN_REAL_OBJECT(attempt), clock, time, \
                                  OMEN_CALLER, call);                                                      \
    }                                                                                                      \
    const int result = in_place(call());                                                                   \
    locked(lock, RawOp::op, result, true, OMEN_CALLER);                                                    \
    return result;                                                                                         \
  }
#define OMEN_DESTROY(name)                  \
  OMEN_INTERCEPT(int, name, (void* lock)) { \
    forget(lock, OMEN_CALLER);              \
    return OMEN_REAL(name)(lock);           \
  }
#define OMEN_UNLOCK_MUTEX(name)               \
  OMEN_INTERCEPT(int, name, (void* lock)) {   \
    unlocking_mutex(lock, OMEN_CALLER);       \
    const int result = OMEN_REAL(name)(lock); \
    pause_if_due(current_thread);             \
    return result;                            \
  }
#define OMEN_UNLOCK(name)                         \
  OMEN_INTERCEPT(int, name, (void* lock)) {       \
    unlocking(lock, RawOp::Release, OMEN_CALLER); \
    const int result = OMEN_REAL(name)(lock);     \
    pause_if_due(current_thread);                 \
    return result;                                \
  }

OMEN_TRY_LOCK(pthread_mutex_trylock, Acquire)

namespace omen::rt {

/// Recursive, error-checking, robust and priority-inheriting mutexes know their holder and refuse other threads; the
/// others are released whichever thread asks.
bool can_unlock_mutex(const ThreadState* thread, const void* lock) {
  const auto& mutex = static_cast<const pthread_mutex_t*>(lock)->__data;
  constexpr int kRobust = 16;
  constexpr int kInherits = 32;
  if (OMEN_LIKELY((mutex.__kind & (kRobust | kInherits | 3)) == PTHREAD_MUTEX_TIMED_NP)) return true;
  const int type = mutex.__kind & 3;
  const bool knows_holder = type == PTHREAD_MUTEX_RECURSIVE_NP || type == PTHREAD_MUTEX_ERRORCHECK_NP ||
                            (mutex.__kind & (kRobust | kInherits)) != 0;
  return !knows_holder || mutex.__owner == static_cast<int>(thread->system_id);
}

}  // namespace omen::rt

namespace {

/// An unlock that fails releases nothing.
void unlocking_mutex(void* lock, uptr pc) {
  ThreadState* const thread = recording_thread();
  if (thread == nullptr || !can_unlock_mutex(thread, lock)) return;
  recorder.synchronise(thread, RawOp::Release, reinterpret_cast<uptr>(lock), 0, pc);
}

constexpr u32 kPatience = 200;

/// Sections take longer under a detector, so threads contend for locks that they would not have contended for
/// otherwise, and blocking and waking costs both threads more than most sections take. So a thread that finds a mutex
/// taken spins for a while. False: the mutex is still taken, or the attempt has failed otherwise.
bool take_soon(void* lock, int& result) {
  const int& word = static_cast<pthread_mutex_t*>(lock)->__data.__lock;  // 0: free
  for (u32 tries = 0;; ++tries) {
    result = OMEN_REAL(pthread_mutex_trylock)(lock);
    if (OMEN_LIKELY(result != kBusy)) return result == 0 || result == kOwnerDead;
    while (__atomic_load_n(&word, __ATOMIC_RELAXED) != 0) {
      if (++tries >= kPatience) return false;
      __builtin_ia32_pause();
    }
  }
}

}  // namespace

OMEN_INTERCEPT(int, pthread_mutex_lock, (void* lock)) {
  OMEN_LOCK_SCHEDULED(pthread_mutex_lock, Acquire, Mutex, pthread_mutex_trylock)
  int result = 0;
  if (!take_soon(lock, result)) result = OMEN_REAL(pthread_mutex_lock)(lock);
  locked(lock, RawOp::Acquire, result, false, OMEN_CALLER);
  return result;
}
OMEN_TIMED_LOCK(pthread_mutex_timedlock, Acquire, Mutex, pthread_mutex_trylock)
OMEN_CLOCK_LOCK(pthread_mutex_clocklock, Acquire, Mutex, pthread_mutex_trylock)
OMEN_UNLOCK_MUTEX(pthread_mutex_unlock)
OMEN_DESTROY(pthread_mutex_destroy)
// The names that older programs and libraries use.
OMEN_LOCK(__pthread_mutex_lock, Acquire, Mutex, pthread_mutex_trylock)
OMEN_UNLOCK_MUTEX(__pthread_mutex_unlock)

OMEN_TRY_LOCK(pthread_spin_trylock, Acquire)
OMEN_LOCK(pthread_spin_lock, Acquire, Spin, pthread_spin_trylock)
OMEN_UNLOCK(pthread_spin_unlock)
OMEN_DESTROY(pthread_spin_destroy)

OMEN_TRY_LOCK(pthread_rwlock_tryrdlock, AcquireShared)
OMEN_LOCK(pthread_rwlock_rdlock, AcquireShared, ReadWrite, pthread_rwlock_tryrdlock)
OMEN_TIMED_LOCK(pthread_rwlock_timedrdlock, AcquireShared, ReadWrite, pthread_rwlock_tryrdlock)
OMEN_CLOCK_LOCK(pthread_rwlock_clockrdlock, AcquireShared, ReadWrite, pthread_rwlock_tryrdlock)
OMEN_TRY_LOCK(pthread_rwlock_trywrlock, Acquire)
OMEN_LOCK(pthread_rwlock_wrlock, Acquire, ReadWrite, pthread_rwlock_trywrlock)
OMEN_TIMED_LOCK(pthread_rwlock_timedwrlock, Acquire, ReadWrite, pthread_rwlock_trywrlock)
OMEN_CLOCK_LOCK(pthread_rwlock_clockwrlock, Acquire, ReadWrite, pthread_rwlock_trywrlock)
OMEN_DESTROY(pthread_rwlock_destroy)

// One function releases both modes; the recording knows which it was.
OMEN_UNLOCK(pthread_rwlock_unlock)

OMEN_INTERCEPT(int, pthread_mutex_init, (void* lock, const void* attributes)) {
  written(lock, OMEN_CALLER);
  return OMEN_REAL(pthread_mutex_init)(lock, attributes);
}
OMEN_INTERCEPT(int, pthread_rwlock_init, (void* lock, const void* attributes)) {
  written(lock, OMEN_CALLER);
  return OMEN_REAL(pthread_rwlock_init)(lock, attributes);
}
OMEN_INTERCEPT(int, pthread_spin_init, (void* lock, int shared)) {
  written(lock, OMEN_CALLER);
  return OMEN_REAL(pthread_spin_init)(lock, shared);
}
