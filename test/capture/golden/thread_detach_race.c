// Detaching orders nothing; the end of a detached thread neither.
// EXPECT: race A B
#include <pthread.h>
#include "invisible.h"

int x;

static void* work(void* unused) {
  x = 1;  // A
  reach(1);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  pthread_detach(t);
  await(1);
  x = 2;  // B
}
