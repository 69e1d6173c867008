// A block is allocated when its user already runs: nothing orders the allocation before the use.
// EXPECT: race A B
#include <pthread.h>
#include <stdlib.h>
#include "invisible.h"

static char* handed;
INVISIBLE void hand(char* block) {
  __atomic_store_n(&handed, block, __ATOMIC_SEQ_CST);
}
INVISIBLE char* get(void) {
  return __atomic_load_n(&handed, __ATOMIC_SEQ_CST);
}

static void* other(void* unused) {
  reach(1);
  await(2);
  get()[0] = 1;  // B
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  await(1);
  hand(malloc(10));  // A
  reach(2);
  pthread_join(t, 0);
}
