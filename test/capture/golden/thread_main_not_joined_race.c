// The first thread has left by pthread_exit, and is not joined.
// PEER: skip it ends the process with the first thread
// EXPECT: race A B
// EXIT: 3
#include <pthread.h>
#include <stdlib.h>
#include "invisible.h"

int x;

static void* work(void* unused) {
  await(1);
  use(x);  // B
  exit(3);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  pthread_detach(t);
  x = 41;  // A
  reach(1);
  pthread_exit(0);
}
