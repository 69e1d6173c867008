/// \file
/// Two threads read all of a table, then each writes its half of it; only barriers separate the phases.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { kThreads = 2, kHalf = 20000, kRounds = 10 };

static uint64_t table[kThreads * kHalf];
static pthread_barrier_t barrier;

static void* run(void* argument) {
  uint64_t* const half = table + (uintptr_t)argument * kHalf;
  uint64_t sum = 0;
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kThreads * kHalf; ++i) sum += table[i];
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < kHalf; ++i) half[i] += sum + (uint64_t)i;
    pthread_barrier_wait(&barrier);
  }
  return 0;
}

int main(void) {
  pthread_t threads[kThreads];
  pthread_barrier_init(&barrier, 0, kThreads);
  for (uintptr_t i = 0; i < kThreads; ++i) pthread_create(&threads[i], 0, run, (void*)i);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], 0);
  printf("%llu\n", (unsigned long long)table[0]);
  return 0;
}
