// timedwait that is woken, and one that runs out: in both cases the mutex is held again afterwards.
// EXPECT: none
// OUTPUT: 110 0
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER, never = PTHREAD_COND_INITIALIZER;
static int ready, shared;

static struct timespec in(long milliseconds) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  t.tv_nsec += milliseconds % 1000 * 1000000;
  t.tv_sec += milliseconds / 1000 + t.tv_nsec / 1000000000;
  t.tv_nsec %= 1000000000;
  return t;
}

static void* other(void* unused) {
  pthread_mutex_lock(&m);
  ++shared;
  ready = 1;
  pthread_cond_broadcast(&c);
  pthread_mutex_unlock(&m);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_mutex_lock(&m);
  pthread_create(&t, 0, other, 0);
  struct timespec soon = in(20), late = in(30000);
  int expired = pthread_cond_timedwait(&never, &m, &soon), woken = 0;
  ++shared;
  while (!ready) woken = pthread_cond_timedwait(&c, &m, &late);
  ++shared;
  pthread_mutex_unlock(&m);
  pthread_join(t, 0);
  printf("%d %d\n", expired, woken);
}
