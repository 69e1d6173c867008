// Readers share, a writer excludes; every variant of rdlock and wrlock.
// BUILD: -D_GNU_SOURCE
// EXPECT: none
// OUTPUT: 300
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>
#include "invisible.h"

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static long value;

static void* write_all(void* unused) {
  struct timespec until;
  for (int i = 0; i < 100; ++i) {
    pthread_rwlock_wrlock(&l);
    ++value;
    pthread_rwlock_unlock(&l);
    while (pthread_rwlock_trywrlock(&l) != 0) sched_yield();
    ++value;
    pthread_rwlock_unlock(&l);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 30;
    if (pthread_rwlock_timedwrlock(&l, &until) != 0) return unused;
    ++value;
    pthread_rwlock_unlock(&l);
  }
  return unused;
}

static void* read_all(void* unused) {
  struct timespec until;
  for (int i = 0; i < 100; ++i) {
    pthread_rwlock_rdlock(&l);
    use(value);
    pthread_rwlock_unlock(&l);
    while (pthread_rwlock_tryrdlock(&l) != 0) sched_yield();
    use(value);
    pthread_rwlock_unlock(&l);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 30;
    if (pthread_rwlock_timedrdlock(&l, &until) != 0) return unused;
    use(value);
    pthread_rwlock_unlock(&l);
  }
  return unused;
}

int main(void) {
  pthread_t w, r1, r2;
  pthread_create(&w, 0, write_all, 0);
  pthread_create(&r1, 0, read_all, 0);
  pthread_create(&r2, 0, read_all, 0);
  pthread_join(w, 0);
  pthread_join(r1, 0);
  pthread_join(r2, 0);
  printf("%ld\n", value);
}
