// Accesses that the program's options except from the instrumentation stay excepted, so the race is not seen.
// BUILD: -mllvm -tsan-instrument-memory-accesses=0
// COMPILER: clang (GCC has no such option)
// EXPECT: none
#include <pthread.h>
#include "invisible.h"

int x;

static void* work(void* unused) {
  x = 1;
  reach(1);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  await(1);
  x = 2;
  pthread_join(t, 0);
}
