/// \file
/// Clocks, and waiting for a time. In a controlled run both are virtual (docs/explore.md): a sleep ends when no other
/// thread can run, and the clocks show the virtual time.
#include <errno.h>
#include <sched.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>

#include "capture/runtime/interceptors/attempts.hpp"
#include "capture/runtime/interceptors/touches.hpp"

using namespace omen::rt;

namespace {

constexpr u64 kSecond = 1'000'000'000;

/// The virtual time of the clock. False: the run is not controlled, or it is a clock of processor time.
bool reads_clock(int clock, u64& now, uptr pc) {
  ThreadState* const thread = explored_thread();
  if (thread == nullptr || !explore::is_virtual_clock(clock)) return false;
  explore::explorer.note_clock_read(thread, pc);
  now = explore::clock_now(clock);
  return true;
}

timespec as_timespec(u64 nanoseconds) {
  return {static_cast<time_t>(nanoseconds / kSecond), static_cast<long>(nanoseconds % kSecond)};
}

bool is_interval(const timespec* time) {
  return time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec < static_cast<long>(kSecond);
}

/// Sleeps in virtual time. False: sleep in real time. `left`: 0, or the time that remained when a signal arrived.
bool sleeps(u64 nanoseconds, uptr pc, u64& left) {
  ThreadState* const thread = explored_thread();
  return OMEN_UNLIKELY(thread != nullptr) && sleep_until(thread, explore::deadline_in(nanoseconds), pc, left);
}

/// Lets other threads run first. False: yield for real.
OMEN_NOINLINE bool yields_scheduled(uptr pc) {
  ThreadState* const thread = explored_thread();
  if (thread == nullptr) return false;
  explore::explorer.point(thread, {omen::PointKind::None, 0}, pc);
  return true;
}
OMEN_INLINE bool yields(uptr pc) {
  return schedule::on() && yields_scheduled(pc);
}

}  // namespace

namespace {

OMEN_NOINLINE time_t time_scheduled(time_t* to, uptr pc, Real<time_t(time_t*)>& real) {
  u64 now = 0;
  if (!reads_clock(CLOCK_REALTIME, now, pc)) return real.get()(to);
  const auto result = static_cast<time_t>(now / kSecond);
  if (to != nullptr) *to = result;
  return result;
}

/// `real` reads the clock into `to`.
template <class Call>
OMEN_NOINLINE int read_clock_scheduled(int clock, timespec* to, int success, uptr pc, Call real) {
  u64 now = 0;
  if (to == nullptr || !reads_clock(clock, now, pc)) return real();
  *to = as_timespec(now);
  return success;
}

OMEN_NOINLINE void set_time_of_day(timeval* to, uptr pc) {
  u64 now = 0;
  if (!reads_clock(CLOCK_REALTIME, now, pc)) return;
  *to = {static_cast<time_t>(now / kSecond), static_cast<long>(now % kSecond / 1000)};
}

}  // namespace

OMEN_INTERCEPT(time_t, time, (time_t* to)) {
  const time_t result = schedule::on() ? time_scheduled(to, OMEN_CALLER, OMEN_REAL_OBJECT(time)) : OMEN_REAL(time)(to);
  touches(to, sizeof *to, true, OMEN_CALLER);
  return result;
}

OMEN_INTERCEPT(int, gettimeofday, (timeval * to, void* zone)) {
  const int result = OMEN_REAL(gettimeofday)(to, zone);
  if (result != 0) return result;
  if (schedule::on() && to != nullptr) set_time_of_day(to, OMEN_CALLER);
  touches(to, sizeof *to, true, OMEN_CALLER);
  touches(zone, 8, true, OMEN_CALLER);
  return 0;
}

OMEN_INTERCEPT(int, clock_gettime, (int clock, timespec* to)) {
  const auto call = [=] { return OMEN_REAL(clock_gettime)(clock, to); };
  const int result = schedule::on() ? read_clock_scheduled(clock, to, 0, OMEN_CALLER, call) : call();
  if (result == 0) touches(to, sizeof *to, true, OMEN_CALLER);
  return result;
}

OMEN_INTERCEPT(int, timespec_get, (timespec * to, int base)) {
  const auto call = [=] { return OMEN_REAL(timespec_get)(to, base); };
  const int result =
      schedule::on() && base == TIME_UTC ? read_clock_scheduled(CLOCK_REALTIME, to, base, OMEN_CALLER, call) : call();
  if (result != 0) touches(to, sizeof *to, true, OMEN_CALLER);
  return result;
}

OMEN_INTERCEPT(int, nanosleep, (const timespec* wanted, timespec* left)) {
  touches(wanted, sizeof *wanted, false, OMEN_CALLER);
  u64 rest = 0;
  int result = 0;
  if (wanted != nullptr && is_interval(wanted) && sleeps(nanoseconds_of(wanted), OMEN_CALLER, rest)) {
    if (rest != 0) {
      if (left != nullptr) *left = as_timespec(rest);
      errno = EINTR;
      result = -1;
    }
  } else {
    result = OMEN_REAL(nanosleep)(wanted, left);
  }
  if (result == -1) touches(left, sizeof *left, true, OMEN_CALLER);
  return result;
}

OMEN_INTERCEPT(int, clock_nanosleep, (int clock, int flags, const timespec* wanted, timespec* left)) {
  touches(wanted, sizeof *wanted, false, OMEN_CALLER);
  u64 rest = 0;
  int result = 0;
  ThreadState* const thread = explored_thread();
  const bool absolute = (flags & TIMER_ABSTIME) != 0;
  const bool is_virtual =
      thread != nullptr && wanted != nullptr && is_interval(wanted) && explore::is_virtual_clock(clock) &&
      sleep_until(thread, absolute ? deadline_of(clock, wanted) : explore::deadline_in(nanoseconds_of(wanted)),
                  OMEN_CALLER, rest);
  if (!is_virtual) {
    result = OMEN_REAL(clock_nanosleep)(clock, flags, wanted, left);
  } else if (rest != 0) {
    if (!absolute && left != nullptr) *left = as_timespec(rest);
    result = EINTR;
  }
  if (result == EINTR && flags == 0) touches(left, sizeof *left, true, OMEN_CALLER);
  return result;
}

OMEN_INTERCEPT(unsigned, sleep, (unsigned seconds)) {
  u64 rest = 0;
  if (sleeps(seconds * kSecond, OMEN_CALLER, rest)) return static_cast<unsigned>((rest + kSecond - 1) / kSecond);
  return OMEN_REAL(sleep)(seconds);
}
OMEN_INTERCEPT(int, usleep, (unsigned microseconds)) {
  u64 rest = 0;
  if (!sleeps(u64{microseconds} * 1000, OMEN_CALLER, rest)) return OMEN_REAL(usleep)(microseconds);
  if (rest == 0) return 0;
  errno = EINTR;
  return -1;
}
OMEN_INTERCEPT(int, thrd_sleep, (const timespec* wanted, timespec* left)) {
  u64 rest = 0;
  if (!is_interval(wanted) || !sleeps(nanoseconds_of(wanted), OMEN_CALLER, rest)) {
    return OMEN_REAL(thrd_sleep)(wanted, left);
  }
  if (rest == 0) return 0;
  if (left != nullptr) *left = as_timespec(rest);
  return -1;
}

OMEN_INTERCEPT(int, sched_yield, ()) {
  return yields(OMEN_CALLER) ? 0 : OMEN_REAL(sched_yield)();
}
OMEN_INTERCEPT(int, pthread_yield, ()) {
  return yields(OMEN_CALLER) ? 0 : OMEN_REAL(pthread_yield)();
}
OMEN_INTERCEPT(void, thrd_yield, ()) {
  if (!yields(OMEN_CALLER)) OMEN_REAL(thrd_yield)();
}
