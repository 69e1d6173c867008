// Orders the threads of a test without omen's knowledge: no schedule is left to chance, and no event says so.
#pragma once

#include <sched.h>

inline int order_step = 0;

__attribute__((disable_sanitizer_instrumentation, noinline)) inline void reach(int step) {
  __atomic_store_n(&order_step, step, __ATOMIC_SEQ_CST);
}
__attribute__((disable_sanitizer_instrumentation, noinline)) inline void await(int step) {
  while (__atomic_load_n(&order_step, __ATOMIC_SEQ_CST) < step) sched_yield();
}
