#include "capture/runtime/interceptors/attempts.hpp"

#include <pthread.h>

namespace omen::rt {

using explore::explorer;
using explore::WaitEnd;
using explore::WaitKind;

namespace explore {
void test_cancel() {
  pthread_testcancel();
}
}  // namespace explore

namespace {

constexpr int kBusy = 16;       // EBUSY
constexpr int kTimedOut = 110;  // ETIMEDOUT
constexpr int kShared = 128;    // PTHREAD_MUTEX_PSHARED_BIT
constexpr int kKindOfMutex = 3;

/// The call itself detects that the caller already holds the lock.
bool knows_its_holder(const ThreadState* thread, const void* lock, LockType type) {
  switch (type) {
    case LockType::Mutex: {
      const auto& mutex = static_cast<const pthread_mutex_t*>(lock)->__data;
      return (mutex.__kind & kKindOfMutex) == PTHREAD_MUTEX_ERRORCHECK_NP &&
             mutex.__owner == static_cast<int>(thread->system_id);
    }
    case LockType::ReadWrite:
      return static_cast<const pthread_rwlock_t*>(lock)->__data.__cur_writer == static_cast<int>(thread->system_id);
    case LockType::Spin:
      break;
  }
  return false;
}

/// Process-shared: another process may release it.
bool is_shared(const void* lock, LockType type) {
  switch (type) {
    case LockType::Mutex:
      return (static_cast<const pthread_mutex_t*>(lock)->__data.__kind & kShared) != 0;
    case LockType::ReadWrite:
      return static_cast<const pthread_rwlock_t*>(lock)->__data.__shared != 0;
    case LockType::Spin:
      break;
  }
  return false;
}

}  // namespace

u64 deadline_of(int clock, const void* time) {
  const auto* const until = static_cast<const timespec*>(time);
  return until->tv_sec < 0
             ? 0
             : explore::deadline_at(clock, static_cast<u64>(until->tv_sec), static_cast<u64>(until->tv_nsec));
}

bool take_lock(ThreadState* thread, void* lock, LockType type, bool exclusive, int (*attempt)(void*), u64 deadline,
               uptr pc, int& result) {
  const uptr object = reinterpret_cast<uptr>(lock);
  explorer.point(thread, {exclusive ? PointKind::Lock : PointKind::LockShared, object}, pc);
  for (;;) {
    result = attempt(lock);
    if (result != kBusy) return true;
    if (knows_its_holder(thread, lock, type)) return false;
    switch (explorer.block(thread, {.kind = WaitKind::Lock,
                                    .object = object,
                                    .pc = pc,
                                    .deadline = deadline,
                                    .foreign = is_shared(lock, type),
                                    .exclusive = exclusive})) {
      case WaitEnd::TimedOut:
        result = kTimedOut;
        return true;
      case WaitEnd::Over:
        return false;
      default:
        break;
    }
  }
}

bool sleep_until(ThreadState* thread, u64 deadline, uptr pc, u64& left) {
  left = 0;
  explore::test_cancel();
  explorer.point(thread, {PointKind::None, 0}, pc);
  for (;;) {
    switch (explorer.block(thread, {.kind = WaitKind::Time, .pc = pc, .deadline = deadline})) {
      case WaitEnd::Interrupted: {
        const u64 now = explorer.virtual_now();
        left = now < deadline ? deadline - now : 1;
        return true;
      }
      case WaitEnd::Over:
        return false;
      case WaitEnd::Cancelled:
        explore::test_cancel();
        break;
      default:
        return true;
    }
  }
}

}  // namespace omen::rt
