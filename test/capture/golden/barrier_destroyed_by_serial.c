// The serial thread destroys and frees the barrier while the others are still leaving it.
// PEER: reports it takes the way out for a use
// EXPECT: none
#include <pthread.h>
#include <stdlib.h>
#include "invisible.h"

enum { kThreads = 4 };
static int seen[kThreads];

static void* work(void* barrier) {
  static int next;
  const int me = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED);
  seen[me] = 1;
  if (pthread_barrier_wait(barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
    for (int i = 0; i < kThreads; ++i) use(seen[i]);
    pthread_barrier_destroy(barrier);
    free(barrier);
  }
  return 0;
}

int main(void) {
  pthread_barrier_t* const barrier = malloc(sizeof *barrier);
  pthread_barrier_init(barrier, 0, kThreads);
  pthread_t t[kThreads];
  for (int i = 0; i < kThreads; ++i) pthread_create(&t[i], 0, work, barrier);
  for (int i = 0; i < kThreads; ++i) pthread_join(t[i], 0);
}
