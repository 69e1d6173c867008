// A thread takes a lock twice, another overwrites its memory.
// EXPECT: race A B
// OUTPUT: 0
#include <pthread.h>
#include <stdio.h>

#include "invisible.h"

static union {
  pthread_mutex_t lock;
  int number;
} memory = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void* locks(void* unused) {
  for (int i = 0; i < 2; ++i) {
    pthread_mutex_lock(&memory.lock);  // A
    pthread_mutex_unlock(&memory.lock);
  }
  reach(1);
  return unused;
}

static void* writes(void* unused) {
  await(1);
  memory.number = 0;  // B
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, locks, NULL);
  pthread_create(&threads[1], NULL, writes, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  printf("%d\n", memory.number);
  return 0;
}
