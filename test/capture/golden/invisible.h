/// \file
/// Forces the schedule of a test program without any synchronisation that an instrumentation can see.
///
///     thread 1: x = 1; reach(1);           thread 2: await(1); x = 2;
///
/// always runs the first write first, and yet nothing orders the two: the functions here are not instrumented and call
/// nothing that a runtime intercepts. Nor do they count as state that critical sections guard, by their section. For C and
/// C++, GCC and clang.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#if defined(__clang__)
#define INVISIBLE __attribute__((noinline, unused, disable_sanitizer_instrumentation, section(".text.omen_harmless"))) static
#else
#define INVISIBLE __attribute__((noinline, unused, no_sanitize_thread, section(".text.omen_harmless"))) static
#endif

static int invisible_now;

/// The waits below stand for the time that passes in a real program. In a replayed run (`omen replay`) the order of the
/// schedule takes their place: they would contradict it.
INVISIBLE int invisible_is_replayed(void) {
  extern char** environ;
  for (char** variable = environ; variable != 0 && *variable != 0; ++variable) {
    const char* name = "OMEN_REPLAY=";
    const char* text = *variable;
    while (*name != 0 && *name == *text) ++name, ++text;
    if (*name == 0) return 1;
  }
  return 0;
}

/// Step n of the schedule has been reached.
INVISIBLE void reach(int step) {
  __atomic_store_n(&invisible_now, step, __ATOMIC_SEQ_CST);
}

/// One more thread has reached the next step.
INVISIBLE void reach_next(void) {
  __atomic_fetch_add(&invisible_now, 1, __ATOMIC_SEQ_CST);
}

/// Waits until the schedule has reached step n.
INVISIBLE void await(int step) {
  while (__atomic_load_n(&invisible_now, __ATOMIC_SEQ_CST) < step) {
    if (invisible_is_replayed()) return;
    syscall(SYS_sched_yield);
  }
}

/// Waits for step n and makes n + 1 the next: the calls await_turn(0), await_turn(1), ... return in this order.
INVISIBLE void await_turn(int step) {
  while (__atomic_load_n(&invisible_now, __ATOMIC_SEQ_CST) != 2 * step) {
    if (invisible_is_replayed()) return;
    syscall(SYS_sched_yield);
  }
  __atomic_store_n(&invisible_now, 2 * step + 1, __ATOMIC_SEQ_CST);
}

/// The step that began with await_turn(n) is over.
INVISIBLE void end_turn(int step) {
  __atomic_store_n(&invisible_now, 2 * step + 2, __ATOMIC_SEQ_CST);
}

/// Keeps a read alive that nothing else uses.
__attribute__((unused)) static inline void use(long value) {
  __asm__ volatile("" ::"r"(value) : "memory");
}
