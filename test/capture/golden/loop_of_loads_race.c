// A loop looks for a flag, gives up, and the flag is found set later. In a replayed run, the loop must not find it.
// EXPECT: race A B
#include <pthread.h>
#include <stdatomic.h>
#include "invisible.h"

static atomic_int flag, early;
static int shared;

static void* looks(void* unused) {
  int seen = 0;
  for (int round = 0; round < 100000 && !seen; ++round) seen = atomic_load(&flag);
  if (seen) atomic_fetch_add(&early, 1);
  reach(1);
  await(2);
  use(atomic_load(&flag));
  use(shared);  // A
  return unused;
}

static void* sets(void* unused) {
  await(1);
  atomic_store(&flag, 1);
  shared = 1;  // B
  reach(2);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], 0, looks, 0);
  pthread_create(&threads[1], 0, sets, 0);
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
}
