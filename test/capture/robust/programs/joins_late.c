/// \file
/// More threads have ended and wait to be joined than have their own clock entries. Only the joins order the threads'
/// events.
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

enum { kThreads = 700 };

static long results[kThreads];
static int written;

static void* work(void* result) {
  *(long*)result = 1;
  __atomic_fetch_add(&written, 1, __ATOMIC_RELAXED);
  return NULL;
}

int main(void) {
  static pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) {
    if (pthread_create(&threads[i], NULL, work, &results[i]) != 0) return 1;
    while (__atomic_load_n(&written, __ATOMIC_RELAXED) <= i) sched_yield();
  }
  long sum = 0;
  for (int i = 0; i < kThreads; ++i) {
    pthread_join(threads[i], NULL);
    sum += results[i];
  }
  printf("%ld\n", sum);
  return 0;
}
