// A write after create races with the thread's read.
// EXPECT: race A B
#include <pthread.h>
#include "invisible.h"

int x;

static void* work(void* unused) {
  await(1);
  use(x);  // B
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  x = 1;  // A
  reach(1);
  pthread_join(t, 0);
}
