// Sixteen-byte accesses: long double and __int128.
// EXPECT: race A B
#include <pthread.h>
#include "invisible.h"

_Alignas(16) __int128 wide;

static void* work(void* unused) {
  wide = 5;  // A
  reach(1);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  await(1);
  use(((long*)&wide)[1]);  // B
  pthread_join(t, 0);
}
