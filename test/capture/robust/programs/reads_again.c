/// \file
/// Threads that repeatedly read a table, and each other's writes, under one lock, under another, and without any: a
/// reader does not thereby know the sections of its own earlier reads.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { kThreads = 3, kNumbers = 20000, kRounds = 3 };

static uint64_t table[kNumbers];
static uint64_t own[kThreads][kNumbers];
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t second = PTHREAD_MUTEX_INITIALIZER;

static uint64_t sum_of(const uint64_t* numbers) {
  uint64_t sum = 0;
  for (int i = 0; i < kNumbers; ++i) sum += numbers[i];
  return sum;
}

static uint64_t sum_under(pthread_mutex_t* lock, const uint64_t* numbers) {
  pthread_mutex_lock(lock);
  const uint64_t sum = sum_of(numbers);
  pthread_mutex_unlock(lock);
  return sum;
}

static void* run(void* argument) {
  uint64_t* const mine = own[(uintptr_t)argument];
  pthread_mutex_lock(&first);
  for (int i = 0; i < kNumbers; ++i) mine[i] = 1;
  pthread_mutex_unlock(&first);
  uint64_t sum = 0;
  for (int round = 0; round < kRounds; ++round) {
    sum += sum_under(&first, table) + sum_of(table) + sum_under(&second, table);
    sum += sum_of(mine) + sum_under(&second, mine) + sum_under(&first, mine);
  }
  return (void*)(uintptr_t)sum;
}

int main(void) {
  pthread_t threads[kThreads];
  for (int i = 0; i < kNumbers; ++i) table[i] = 1;
  for (uintptr_t i = 0; i < kThreads; ++i) pthread_create(&threads[i], 0, run, (void*)i);
  uintptr_t sum = 0;
  for (int i = 0; i < kThreads; ++i) {
    void* part;
    pthread_join(threads[i], &part);
    sum += (uintptr_t)part;
  }
  printf("%lu\n", (unsigned long)sum);
  return 0;
}
