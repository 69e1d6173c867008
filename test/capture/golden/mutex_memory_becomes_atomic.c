// The memory of a lock is an atomic flag later, and nothing orders the two: both are atomic accesses.
// EXPECT: none
// OUTPUT: 0
#include <pthread.h>
#include <stdio.h>

#include "invisible.h"

static union {
  pthread_mutex_t lock;
  int flag;
} memory = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void* locks(void* unused) {
  pthread_mutex_lock(&memory.lock);
  pthread_mutex_unlock(&memory.lock);
  reach(1);
  return unused;
}

static void* stores(void* unused) {
  await(1);
  __atomic_store_n(&memory.flag, 0, __ATOMIC_RELAXED);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, locks, NULL);
  pthread_create(&threads[1], NULL, stores, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  printf("%d\n", __atomic_load_n(&memory.flag, __ATOMIC_RELAXED));
  return 0;
}
