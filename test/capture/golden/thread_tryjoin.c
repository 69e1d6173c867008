// tryjoin, timedjoin and clockjoin join like join, when they succeed.
// BUILD: -D_GNU_SOURCE
// PEER: reports it does not know pthread_clockjoin_np
// EXPECT: none
// OUTPUT: 1 2 3
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>

int x[3];

static void* work(void* slot) {
  int* p = slot;
  *p = (int)(p - x) + 1;
  return slot;
}

int main(void) {
  pthread_t t[3];
  for (int i = 0; i < 3; ++i) pthread_create(&t[i], 0, work, &x[i]);
  struct timespec until, monotonic;
  clock_gettime(CLOCK_REALTIME, &until);
  clock_gettime(CLOCK_MONOTONIC, &monotonic);
  until.tv_sec += 30;
  monotonic.tv_sec += 30;
  while (pthread_tryjoin_np(t[0], 0) != 0) sched_yield();
  int first = x[0];
  if (pthread_timedjoin_np(t[1], 0, &until) != 0) return 1;
  int second = x[1];
  if (pthread_clockjoin_np(t[2], 0, CLOCK_MONOTONIC, &monotonic) != 0) return 1;
  printf("%d %d %d\n", first, second, x[2]);
}
