// A thread that does not take part destroys the barrier while another one arrives at it.
// EXPECT: race A B
#include <pthread.h>
#include "invisible.h"

static pthread_barrier_t b;

static void* other(void* unused) {
  pthread_barrier_wait(&b);  // A
  reach(1);
  return unused;
}

int main(void) {
  pthread_barrier_init(&b, 0, 1);
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  await(1);
  pthread_barrier_destroy(&b);  // B
  pthread_join(t, 0);
}
