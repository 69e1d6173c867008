/// \file
/// More detached threads than have their own clock entries. Each reads under a lock what the previous one stored there,
/// and the next thread's creator learns only that it has done so.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

enum { kThreads = 700 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long* latest;
static long sum;
static sem_t done;

static void* work(void* own) {
  long* const block = own;
  *block = 1;
  pthread_mutex_lock(&lock);
  if (latest != NULL) *block += *latest;
  free(latest);
  latest = block;
  sum += *block;
  pthread_mutex_unlock(&lock);
  sem_post(&done);
  return NULL;
}

int main(void) {
  pthread_attr_t detached;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  sem_init(&done, 0, 0);
  for (int i = 0; i < kThreads; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, &detached, work, malloc(sizeof(long))) != 0) return 1;
    sem_wait(&done);
  }
  pthread_mutex_lock(&lock);
  printf("%ld\n", sum);
  pthread_mutex_unlock(&lock);
  return 0;
}
