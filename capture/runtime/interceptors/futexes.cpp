/// \file
/// The futex operations of `syscall`: `std::atomic::wait` and custom locks sleep in them. In a controlled run the
/// scheduler blocks the waiters. Futexes imply no order by themselves; the atomics around them do.
#include <asm/unistd.h>
#include <errno.h>
#include <linux/futex.h>
#include <time.h>

#include "capture/runtime/interceptors/attempts.hpp"
#include "capture/runtime/interceptors/interceptor.hpp"

using namespace omen::rt;

namespace {

struct Futex {
  uptr word;
  int command;
  bool shared;
  bool realtime;
  u32 value;
  uptr time;  ///< or, for a requeue, how many to requeue
  uptr pc;
};

long fails(int error) {
  errno = error;
  return -1;
}

/// A wait, absolute or relative depending on the command. False: the caller must execute the call itself.
bool waits(ThreadState* thread, const Futex& futex, long& result) {
  const auto* const time = reinterpret_cast<const timespec*>(futex.time);
  u64 deadline = explore::Wait::kNever;
  if (time != nullptr) {
    if (time->tv_sec < 0 || time->tv_nsec < 0 || time->tv_nsec >= 1'000'000'000) return false;
    deadline = futex.command == FUTEX_WAIT ? explore::deadline_in(nanoseconds_of(time))
                                           : deadline_of(futex.realtime ? CLOCK_REALTIME : CLOCK_MONOTONIC, time);
  }
  explore::explorer.point(thread, {omen::PointKind::Load, futex.word}, futex.pc);
  if (__atomic_load_n(reinterpret_cast<const u32*>(futex.word), __ATOMIC_SEQ_CST) != futex.value) {
    result = fails(EAGAIN);
    return true;
  }
  switch (explore::explorer.block(thread, {.kind = explore::WaitKind::Word,
                                           .object = futex.word,
                                           .pc = futex.pc,
                                           .deadline = deadline,
                                           .foreign = futex.shared})) {
    case explore::WaitEnd::TimedOut:
      result = fails(ETIMEDOUT);
      return true;
    case explore::WaitEnd::Interrupted:
      result = thread->explored->interrupted ? fails(EINTR) : 0;
      return true;
    case explore::WaitEnd::Over:
      return false;
    default:
      result = 0;  // also for a spurious wake, which the kernel permits as well
      return true;
  }
}

/// Wakes threads in the scheduler; the system call then wakes threads that wait outside.
long wakes(ThreadState* thread, const Futex& futex) {
  explore::explorer.point(thread, {omen::PointKind::Release, futex.word}, futex.pc);
  // A requeue only saves wake-ups: here all waiters wake, and check their condition again.
  const bool requeues = futex.command == FUTEX_REQUEUE || futex.command == FUTEX_CMP_REQUEUE;
  return explore::explorer.wake_some(futex.word, requeues ? ~u32{0} : futex.value);
}

}  // namespace

OMEN_INTERCEPT(long, syscall, (long number, long a, long b, long c, long d, long e, long f)) {
  ThreadState* const thread = explored_thread();
  if (OMEN_LIKELY(thread == nullptr) || (number != __NR_futex && number != __NR_sched_yield)) {
    return OMEN_REAL(syscall)(number, a, b, c, d, e, f);
  }
  if (number == __NR_sched_yield) {
    explore::explorer.point(thread, {omen::PointKind::None, 0}, OMEN_CALLER);
    return 0;
  }
  const Futex futex{.word = static_cast<uptr>(a),
                    .command = static_cast<int>(b) & FUTEX_CMD_MASK,
                    .shared = (b & FUTEX_PRIVATE_FLAG) == 0,
                    .realtime = (b & FUTEX_CLOCK_REALTIME) != 0,
                    .value = static_cast<u32>(c),
                    .time = static_cast<uptr>(d),
                    .pc = OMEN_CALLER};
  long result = 0;
  switch (futex.command) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
      if (waits(thread, futex, result)) return result;
      break;
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
    case FUTEX_WAKE_OP:
    case FUTEX_REQUEUE:
    case FUTEX_CMP_REQUEUE: {
      const long woken = wakes(thread, futex);
      result = OMEN_REAL(syscall)(number, a, b, c, d, e, f);
      return result < 0 ? result : result + woken;
    }
    default:
      break;
  }
  return OMEN_REAL(syscall)(number, a, b, c, d, e, f);
}
