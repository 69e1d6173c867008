// A thread is cancelled inside pthread_cond_wait: its cleanup handler runs with the mutex held.
// EXPECT: none
// OUTPUT: 2
#include <pthread.h>
#include <stdio.h>
#include "invisible.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int x, waiting;

static void unlock(void* mutex) {
  ++x;
  pthread_mutex_unlock(mutex);
}

static void* work(void* unused) {
  pthread_mutex_lock(&m);
  pthread_cleanup_push(unlock, &m);
  waiting = 1;
  while (waiting) pthread_cond_wait(&c, &m);
  pthread_cleanup_pop(1);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  for (int ready = 0; !ready;) {
    pthread_mutex_lock(&m);
    ready = waiting;
    pthread_mutex_unlock(&m);
  }
  pthread_cancel(t);
  pthread_mutex_lock(&m);
  ++x;
  pthread_mutex_unlock(&m);
  pthread_join(t, 0);
  printf("%d\n", x);
}
