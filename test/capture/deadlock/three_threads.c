// A cycle of three: each holds one lock and requests the next.
// expect: deadlock 14
#include <pthread.h>

#include "../golden/invisible.h"

static pthread_mutex_t locks[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static const int numbers[3] = {0, 1, 2};

static void *work(void *p) {
  const int n = *(const int *)p;
  await(n);
  pthread_mutex_lock(&locks[n]);
  pthread_mutex_lock(&locks[(n + 1) % 3]);
  pthread_mutex_unlock(&locks[(n + 1) % 3]);
  pthread_mutex_unlock(&locks[n]);
  reach_next();
  return p;
}

int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], 0, work, (void *)&numbers[i]);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
}
