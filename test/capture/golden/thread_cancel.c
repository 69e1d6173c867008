// A cancelled thread unlocks in its cleanup handler; the joiner sees all of it.
// EXPECT: none
// OUTPUT: 1 2
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#include "invisible.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;

static void unlock(void* mutex) {
  ++x;
  pthread_mutex_unlock(mutex);
}

static void* work(void* unused) {
  pthread_mutex_lock(&m);
  pthread_cleanup_push(unlock, &m);
  ++x;
  reach(1);
  for (;;) pause();
  pthread_cleanup_pop(0);
  return unused;
}

int main(void) {
  pthread_t t;
  void* result = 0;
  pthread_create(&t, 0, work, 0);
  await(1);
  pthread_cancel(t);
  pthread_join(t, &result);
  pthread_mutex_lock(&m);
  printf("%d %d\n", result == PTHREAD_CANCELED, x);
  pthread_mutex_unlock(&m);
}
