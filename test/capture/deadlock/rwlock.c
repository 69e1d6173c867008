// A writer waits for a reader, who waits for the mutex that the writer holds.
// expect: deadlock 12 22
#include <pthread.h>

#include "../golden/invisible.h"

static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *reader(void *p) {
  pthread_rwlock_rdlock(&shared);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  pthread_rwlock_unlock(&shared);
  reach(1);
  return p;
}

static void *writer(void *p) {
  await(1);
  pthread_mutex_lock(&mutex);
  pthread_rwlock_wrlock(&shared);
  pthread_rwlock_unlock(&shared);
  pthread_mutex_unlock(&mutex);
  return p;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, reader, 0);
  pthread_create(&b, 0, writer, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
