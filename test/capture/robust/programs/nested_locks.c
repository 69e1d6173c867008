/// \file
/// Threads that read a table under a shared lock, and occasionally write it, each inside a section on a lock of
/// its own that ends later: the next thread knows the accesses, but not the ends of the sections around them.
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>

enum { kThreads = 3, kNumbers = 500, kRounds = 400 };

static uint64_t table[kNumbers];
static pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t outer[kThreads];

static void* run(void* argument) {
  const uintptr_t self = (uintptr_t)argument;
  uint64_t sum = 0;
  for (uintptr_t round = 0; round < kRounds; ++round) {
    pthread_mutex_lock(&outer[self]);
    pthread_mutex_lock(&inner);
    for (int i = 0; i < kNumbers; ++i) {
      if ((round + self) % 4 == 0) {
        table[i] += 1;
      } else {
        sum += table[i];
      }
    }
    pthread_mutex_unlock(&inner);
    pthread_mutex_unlock(&outer[self]);
    sched_yield();
  }
  return (void*)(sum & 1);
}

int main(void) {
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) pthread_mutex_init(&outer[i], 0);
  for (uintptr_t i = 0; i < kThreads; ++i) pthread_create(&threads[i], 0, run, (void*)i);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], 0);
  printf("%llu\n", (unsigned long long)table[0]);
  return 0;
}
