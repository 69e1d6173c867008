// timedlock and clocklock protect like lock when they succeed.
// BUILD: -D_GNU_SOURCE
// PEER: gcc reports it does not know pthread_mutex_clocklock
// EXPECT: none
// OUTPUT: 1200
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long counter;

static void* add(void* clock) {
  for (int i = 0; i < 600; ++i) {
    struct timespec until;
    clockid_t id = clock ? CLOCK_MONOTONIC : CLOCK_REALTIME;
    clock_gettime(id, &until);
    until.tv_sec += 30;
    if (clock ? pthread_mutex_clocklock(&m, id, &until) : pthread_mutex_timedlock(&m, &until)) return 0;
    ++counter;
    pthread_mutex_unlock(&m);
  }
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, add, 0);
  pthread_create(&b, 0, add, &b);
  pthread_join(a, 0);
  pthread_join(b, 0);
  printf("%ld\n", counter);
}
