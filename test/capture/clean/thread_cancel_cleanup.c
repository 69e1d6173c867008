// A thread is cancelled in a wait; its cleanup handler gives the mutex back after it has repaired the guarded data.
// EXPECT: none
// OUTPUT: 0
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int waiting, never;

static void repair(void* unused) {
  (void)unused;
  --waiting;
  pthread_mutex_unlock(&mutex);
}
static void* wait_for_ever(void* unused) {
  pthread_mutex_lock(&mutex);
  ++waiting;
  pthread_cleanup_push(repair, NULL);
  while (!never) pthread_cond_wait(&changed, &mutex);
  pthread_cleanup_pop(1);
  return unused;
}
int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, wait_for_ever, NULL);
  for (int seen = 0; seen < 2;) {
    pthread_mutex_lock(&mutex);
    seen = waiting;
    pthread_mutex_unlock(&mutex);
  }
  for (int i = 0; i < 2; ++i) pthread_cancel(threads[i]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  printf("%d\n", waiting);
}
