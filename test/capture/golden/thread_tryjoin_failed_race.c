// A tryjoin that fails joins nothing.
// BUILD: -D_GNU_SOURCE
// EXPECT: race A B
#include <pthread.h>
#include "invisible.h"

int x;

static void* work(void* unused) {
  x = 1;  // A
  reach(1);
  await(2);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  await(1);
  if (pthread_tryjoin_np(t, 0) != 0) x = 2;  // B
  reach(2);
  pthread_join(t, 0);
}
