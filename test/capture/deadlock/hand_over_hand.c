// Along a list: each thread acquires the next lock before it releases the last one, all in the same direction.
// expect: quiet
#include <pthread.h>

enum { kNodes = 4 };
static pthread_mutex_t nodes[kNodes] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                        PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void *walk(void *p) {
  pthread_mutex_lock(&nodes[0]);
  for (int i = 1; i < kNodes; ++i) {
    pthread_mutex_lock(&nodes[i]);
    pthread_mutex_unlock(&nodes[i - 1]);
  }
  pthread_mutex_unlock(&nodes[kNodes - 1]);
  return p;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, walk, 0);
  pthread_create(&b, 0, walk, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
