/* The barrier of ThreadSanitizer's tests. It makes threads meet without the detector knowing: in ThreadSanitizer it is a part of the
   runtime; here it is compiled without instrumentation and waits by system calls. */
#include <linux/futex.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { kThreadBits = 10, kThreads = 1 << kThreadBits };

static uint64_t round_of(uint64_t value) { return (value >> kThreadBits) / (value & (kThreads - 1)); }

void __tsan_testonly_barrier_init(uint64_t* barrier, uint32_t count) {
  if (count >= kThreads) abort();
  __atomic_store_n(barrier, count, __ATOMIC_RELAXED);
}

static long futex(uint64_t* barrier, int operation, uint32_t value) {
  long result;
  register long timeout __asm__("r10") = 0;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(SYS_futex), "D"(barrier), "S"(operation), "d"(value), "r"(timeout)
                   : "rcx", "r11", "memory");
  return result;
}

void __tsan_testonly_barrier_wait(uint64_t* barrier) {
  const uint64_t before = __atomic_fetch_add(barrier, kThreads, __ATOMIC_RELAXED);
  const uint64_t round = round_of(before);
  if (round_of(before + kThreads) != round) {
    futex(barrier, FUTEX_WAKE, INT32_MAX);
    return;
  }
  for (;;) {
    const uint64_t now = __atomic_load_n(barrier, __ATOMIC_RELAXED);
    if (round_of(now) != round) return;
    futex(barrier, FUTEX_WAIT, (uint32_t)now);
  }
}
