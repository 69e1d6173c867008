// One write comes after the barrier, the other thread reads after it too.
// EXPECT: race A B
#include <pthread.h>
#include "invisible.h"

static pthread_barrier_t b;
int x, y;

static void* other(void* unused) {
  y = 1;
  pthread_barrier_wait(&b);
  x = 1;  // A
  reach(1);
  return unused;
}

int main(void) {
  pthread_barrier_init(&b, 0, 2);
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  pthread_barrier_wait(&b);
  use(y);
  await(1);
  use(x);  // B
  pthread_join(t, 0);
  pthread_barrier_destroy(&b);
}
