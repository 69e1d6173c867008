// memcpy, memmove and memset on neighbouring slices with odd borders, then a barrier, then a read of everything.
// EXPECT: none
// OUTPUT: 1040
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static char shared[4 * 13];
static pthread_barrier_t barrier;
static int sums[4];

static void* work(void* argument) {
  const long self = (long)argument;
  char mine[13];
  for (int round = 0; round < 5; ++round) {
    memset(mine, round + 1, sizeof mine);
    memcpy(shared + 13 * self, mine, 7);
    memmove(shared + 13 * self + 7, mine + 7, 6);
    pthread_barrier_wait(&barrier);
    if (round == 4)
      for (unsigned i = 0; i < sizeof shared; ++i) sums[self] += shared[i];
    pthread_barrier_wait(&barrier);
  }
  return NULL;
}
int main(void) {
  pthread_barrier_init(&barrier, NULL, 4);
  pthread_t threads[4];
  for (long i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, work, (void*)i);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  printf("%d\n", sums[0] + sums[1] + sums[2] + sums[3]);
}
