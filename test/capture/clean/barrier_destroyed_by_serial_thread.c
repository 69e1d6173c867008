// The serial thread of pthread_barrier_wait destroys the barrier while others may still be returning.
// EXPECT: none
// OUTPUT: 20
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_barrier_t* barrier;
static int destroyed;

static void* meet(void* mine) {
  if (pthread_barrier_wait(mine) == PTHREAD_BARRIER_SERIAL_THREAD) {
    pthread_barrier_destroy(mine);
    ++destroyed;
  }
  return NULL;
}
int main(void) {
  for (int i = 0; i < 20; ++i) {
    barrier = malloc(sizeof *barrier);
    pthread_barrier_init(barrier, NULL, 3);
    pthread_t threads[3];
    for (int t = 0; t < 3; ++t) pthread_create(&threads[t], NULL, meet, barrier);
    for (int t = 0; t < 3; ++t) pthread_join(threads[t], NULL);
    free(barrier);
  }
  printf("%d\n", destroyed);
}
