// A thread is joined in a section on a lock that it needs.
// expect: deadlock 10 21
#include <pthread.h>

#include "../golden/invisible.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *child(void *p) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  reach(1);
  return p;
}

int main(void) {
  pthread_t a;
  pthread_create(&a, 0, child, 0);
  await(1);
  pthread_mutex_lock(&mutex);
  pthread_join(a, 0);
  pthread_mutex_unlock(&mutex);
}
