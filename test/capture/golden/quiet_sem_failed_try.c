// A thread that finds no token is ordered after the thread that took the only one.
// EXPECT: none
// RUN: try
// RUN: timed
// RUN: clock
// RUN: value
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <time.h>
#include "invisible.h"

int sem_clockwait(sem_t*, clockid_t, const struct timespec*);

static pthread_mutex_t n = PTHREAD_MUTEX_INITIALIZER;
static sem_t s;
static const char* how;
int z;

/// An attempt: is there no token?
static int empty(void) {
  struct timespec real, monotonic;
  clock_gettime(CLOCK_REALTIME, &real);
  clock_gettime(CLOCK_MONOTONIC, &monotonic);
  if (strcmp(how, "timed") == 0) return sem_timedwait(&s, &real) != 0 && errno == ETIMEDOUT;
  if (strcmp(how, "clock") == 0) return sem_clockwait(&s, CLOCK_MONOTONIC, &monotonic) != 0 && errno == ETIMEDOUT;
  if (strcmp(how, "value") == 0) {
    int value;
    return sem_getvalue(&s, &value) == 0 && value == 0;
  }
  return sem_trywait(&s) != 0 && errno == EAGAIN;
}

static void* first(void* unused) {
  z = 1;
  pthread_mutex_lock(&n);
  pthread_mutex_unlock(&n);
  sem_wait(&s);
  reach(1);
  return unused;
}

static void* second(void* unused) {
  await(1);
  const int none = empty();
  pthread_mutex_lock(&n);
  pthread_mutex_unlock(&n);
  if (none) z = 2;
  return unused;
}

int main(int count, char** arguments) {
  if (count < 2) return 1;
  how = arguments[1];
  sem_init(&s, 0, 1);
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
