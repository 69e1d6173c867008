// clockwait, and a condition variable on the monotonic clock.
// BUILD: -D_GNU_SOURCE
// EXPECT: none
// OUTPUT: 3
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int turn;

static void step(int mine) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += 30;
  pthread_mutex_lock(&m);
  while (turn % 2 != mine) pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &until);
  ++turn;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
}

static void* other(void* unused) {
  step(1);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  step(0);
  step(0);
  pthread_join(t, 0);
  printf("%d\n", turn);
}
