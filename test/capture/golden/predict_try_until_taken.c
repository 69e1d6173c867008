// A loop that tries until it has the mutex waits for it: how often it tried decides nothing.
// EXPECT: race A B predicted
// ONLINE: misses A B the failed attempts come after the first section's start, and the loop's end is not foreseen
#include <pthread.h>
#include <sched.h>
#include "invisible.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int z;

static void* first(void* unused) {
  z = 1;  // A
  pthread_mutex_lock(&m);
  reach(1);
  await(2);
  pthread_mutex_unlock(&m);
  return unused;
}

static void* second(void* unused) {
  await(1);
  while (pthread_mutex_trylock(&m) != 0) {
    reach(2);
    sched_yield();
  }
  pthread_mutex_unlock(&m);
  z = 2;  // B
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
