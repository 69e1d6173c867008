// A finalizer comes after everything that was done to its object: by threads that run, that wait, and that have ended.
// EXPECT: none
#include <pthread.h>
#include "invisible.h"
#include "java_heap.h"

int by_running, by_waiting, by_ended;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int done;

static void* runs(void* unused) {
  by_running = 1;
  reach_next();
  await(5);
  return unused;
}
static void* waits(void* unused) {
  pthread_mutex_lock(&mutex);
  by_waiting = 1;
  reach_next();
  while (!done) pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  return unused;
}
static void* ends(void* unused) {
  by_ended = 1;
  return unused;
}
static void* finalizes(void* unused) {
  await(4);
  TELL(finalize);
  by_running = by_waiting = by_ended = 2;
  reach(5);
  return unused;
}

int main(void) {
  TELL(init, HEAP, sizeof heap_memory);
  pthread_t finalizer, running, waiting, ended;
  pthread_create(&finalizer, 0, finalizes, 0);
  pthread_create(&running, 0, runs, 0);
  pthread_create(&waiting, 0, waits, 0);
  pthread_create(&ended, 0, ends, 0);
  pthread_join(ended, 0);
  await(2);
  pthread_mutex_lock(&mutex);  // the other waits
  reach(4);
  await(5);
  done = 1;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  pthread_join(finalizer, 0);
  pthread_join(running, 0);
  pthread_join(waiting, 0);
}
