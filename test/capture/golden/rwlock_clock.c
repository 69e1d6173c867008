// The clock variants of rwlock.
// BUILD: -D_GNU_SOURCE
// PEER: reports it does not know the clock variants
// EXPECT: none
// OUTPUT: 100
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include "invisible.h"

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static long value;

static void* work(void* writer) {
  for (int i = 0; i < 100; ++i) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += 30;
    if (writer) {
      if (pthread_rwlock_clockwrlock(&l, CLOCK_MONOTONIC, &until) != 0) return 0;
      ++value;
    } else {
      if (pthread_rwlock_clockrdlock(&l, CLOCK_MONOTONIC, &until) != 0) return 0;
      use(value);
    }
    pthread_rwlock_unlock(&l);
  }
  return 0;
}

int main(void) {
  pthread_t w, r;
  pthread_create(&w, 0, work, &w);
  pthread_create(&r, 0, work, 0);
  pthread_join(w, 0);
  pthread_join(r, 0);
  printf("%ld\n", value);
}
