// Each thread writes its slot, all meet, each reads its neighbour's slot; several rounds on one barrier.
// EXPECT: none
// OUTPUT: 30
#include <pthread.h>
#include <stdio.h>

enum { threads = 4, rounds = 10 };
static pthread_barrier_t b;
static int slot[threads], serial;

static void* work(void* argument) {
  long me = (long)argument;
  int sum = 0;
  for (int i = 0; i < rounds; ++i) {
    slot[me] = i;
    int last = pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD;
    sum += slot[(me + 1) % threads];
    if (last) serial += 3;
    pthread_barrier_wait(&b);
  }
  return (void*)(long)sum;
}

int main(void) {
  pthread_barrier_init(&b, 0, threads);
  pthread_t t[threads];
  for (long i = 0; i < threads; ++i) pthread_create(&t[i], 0, work, (void*)i);
  for (int i = 0; i < threads; ++i) pthread_join(t[i], 0);
  pthread_barrier_destroy(&b);
  printf("%d\n", serial);
}
