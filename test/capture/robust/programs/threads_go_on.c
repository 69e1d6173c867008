/// \file
/// A program whose threads do not end: it exits while they wait, as servers do.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { kThreads = 3, kRounds = 1000, kNumbers = 10 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t all_done;
static long numbers[kNumbers];

static void* count(void* unused) {
  for (int round = 0; round < kRounds; ++round) {
    pthread_mutex_lock(&lock);
    for (int i = 0; i < kNumbers; ++i) ++numbers[i];
    pthread_mutex_unlock(&lock);
  }
  pthread_barrier_wait(&all_done);
  for (;;) pause();
  return unused;
}

int main(void) {
  pthread_barrier_init(&all_done, NULL, kThreads + 1);
  for (int i = 0; i < kThreads; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, count, NULL) != 0) return 1;
  }
  pthread_barrier_wait(&all_done);
  printf("%ld\n", numbers[0]);
  exit(0);
}
