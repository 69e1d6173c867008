// The second life of a piece of memory has a race of its own, under the old address.
// EXPECT: race A B
#include <pthread.h>
#include <stdlib.h>
#include "invisible.h"

int* shared;

static void* work(void* unused) {
  *shared = 1;  // A
  reach(1);
  return unused;
}

int main(void) {
  for (int i = 0; i < 10; ++i) {
    int* p = malloc(sizeof *p);
    *p = i;
    free(p);
  }
  shared = malloc(sizeof *shared);
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  await(1);
  *shared = 2;  // B
  pthread_join(t, 0);
  free(shared);
}
