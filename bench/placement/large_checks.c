/* How much of a program's processor time the checks of large pieces of memory take: ranges, strided checks and copies that span a page or more. A
   program is linked with this file, with the omen runtime, and with -Wl,--wrap= of each function below. A large call is timed by the clock of its
   thread, less what it takes to look at that clock. The sums go to standard error when the program ends; the share is of the processor time of the
   program until then, without the process of omen. */
#define _GNU_SOURCE
#include <stdio.h>
#include <time.h>

enum { PAGE = 4096 };
enum group { RANGES, STRIDED, COPIES, GROUPS };
static const char* const names[GROUPS] = {"ranges", "strided", "copies"};
static struct { unsigned long calls, large, large_bytes, bytes, nanoseconds; } sums[GROUPS];
static unsigned long of_clock;

static unsigned long now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (unsigned long)time.tv_sec * 1000000000 + (unsigned long)time.tv_nsec;
}

static void add(unsigned long* sum, unsigned long by) { __atomic_fetch_add(sum, by, __ATOMIC_RELAXED); }

static __attribute__((constructor)) void time_clock(void) {
  of_clock = ~0UL;
  for (int i = 0; i < 1000; ++i) {
    const unsigned long begin = now(CLOCK_THREAD_CPUTIME_ID), took = now(CLOCK_THREAD_CPUTIME_ID) - begin;
    if (took < of_clock) of_clock = took;
  }
}

static __attribute__((destructor)) void print(void) {
  const double all = (double)now(CLOCK_PROCESS_CPUTIME_ID);
  for (int i = 0; i < GROUPS; ++i) {
    fprintf(stderr, "large: %s: %lu of %lu calls, %.1f of %.1f MiB, %.1f %% of %.3f s\n", names[i], sums[i].large, sums[i].calls,
            (double)sums[i].large_bytes / 0x100000, (double)sums[i].bytes / 0x100000, 100 * (double)sums[i].nanoseconds / all, all / 1e9);
  }
}

/* 0 if the call is too small to be timed. */
static unsigned long begin_of(enum group group, unsigned long bytes) {
  add(&sums[group].calls, 1);
  add(&sums[group].bytes, bytes);
  if (bytes < PAGE) return 0;
  add(&sums[group].large, 1);
  add(&sums[group].large_bytes, bytes);
  return now(CLOCK_THREAD_CPUTIME_ID);
}

static void end(enum group group, unsigned long begin) {
  if (begin == 0) return;
  const unsigned long took = now(CLOCK_THREAD_CPUTIME_ID) - begin;
  add(&sums[group].nanoseconds, took > of_clock ? took - of_clock : 0);
}

#define RANGE(name)                                        \
  void __real_##name(void*, unsigned long);                \
  void __wrap_##name(void* p, unsigned long bytes) {       \
    const unsigned long begin = begin_of(RANGES, bytes);   \
    __real_##name(p, bytes);                               \
    end(RANGES, begin);                                    \
  }
RANGE(__omen_read_range)
RANGE(__omen_write_range)
RANGE(__omen_read_write_range)

#define STRIDES(name)                                                                                      \
  void __real_##name(void*, unsigned long, long, unsigned long);                                           \
  void __wrap_##name(void* p, unsigned long count, long stride, unsigned long mask) {                      \
    const unsigned long begin = begin_of(STRIDED, count * (unsigned long)(stride < 0 ? -stride : stride)); \
    __real_##name(p, count, stride, mask);                                                                 \
    end(STRIDED, begin);                                                                                   \
  }
STRIDES(__omen_read_strided)
STRIDES(__omen_write_strided)
STRIDES(__omen_read_write_strided)

#define COPY(name, from_type)                                        \
  void* __real_##name(void*, from_type, unsigned long);              \
  void* __wrap_##name(void* to, from_type from, unsigned long bytes) { \
    const unsigned long begin = begin_of(COPIES, bytes);             \
    void* const result = __real_##name(to, from, bytes);             \
    end(COPIES, begin);                                              \
    return result;                                                   \
  }
COPY(__tsan_memcpy, const void*)
COPY(__tsan_memmove, const void*)
COPY(__tsan_memset, int)
