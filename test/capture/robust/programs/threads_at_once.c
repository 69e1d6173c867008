// As many concurrent threads as the argument says; each uses atomics before all exist, and after. If the system does not
// permit so many, the exit code says so.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static long counter;
static pthread_barrier_t barrier;

static void* work(void* unused) {
  for (int i = 0; i < 3; ++i) __atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST);
  pthread_barrier_wait(&barrier);
  for (int i = 0; i < 3; ++i) __atomic_load_n(&counter, __ATOMIC_ACQUIRE);
  return unused;
}

int main(int count, char** words) {
  const int threads = atoi(words[count - 1]);
  pthread_t* const all = malloc(sizeof(pthread_t) * (unsigned)threads);
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 1 << 16);
  pthread_barrier_init(&barrier, 0, (unsigned)threads);
  for (int i = 0; i < threads; ++i) {
    if (pthread_create(&all[i], &small, work, 0) != 0) exit(9);
  }
  for (int i = 0; i < threads; ++i) pthread_join(all[i], 0);
  printf("%ld\n", __atomic_load_n(&counter, __ATOMIC_SEQ_CST));
  free(all);
  return 0;
}
