// A wait with a mutex that another thread holds, or until a time that is none, fails: it neither releases nor acquires.
// BUILD: -D_GNU_SOURCE
// EXPECT: race A B
// OUTPUT: 1 22
#include <pthread.h>
#include <stdio.h>
#include "invisible.h"

static pthread_mutex_t m = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int x, foreign, no_time;

static void* other(void* unused) {
  await(1);
  x = 1;  // A
  foreign = pthread_cond_wait(&c, &m);
  reach(2);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  pthread_mutex_lock(&m);
  const struct timespec none = {0, -1};
  no_time = pthread_cond_timedwait(&c, &m, &none);
  reach(1);
  await(2);
  pthread_mutex_unlock(&m);
  pthread_mutex_lock(&m);
  use(x);  // B
  pthread_mutex_unlock(&m);
  pthread_join(t, 0);
  printf("%d %d\n", foreign, no_time);
}
