// A gate lock around both: the sections exclude each other.
// expect: quiet
#include <pthread.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER, left = PTHREAD_MUTEX_INITIALIZER,
                       right = PTHREAD_MUTEX_INITIALIZER;

static void both(pthread_mutex_t *first, pthread_mutex_t *second) {
  pthread_mutex_lock(&gate);
  pthread_mutex_lock(first);
  pthread_mutex_lock(second);
  pthread_mutex_unlock(second);
  pthread_mutex_unlock(first);
  pthread_mutex_unlock(&gate);
}

static void *one(void *p) {
  both(&left, &right);
  return p;
}

static void *two(void *p) {
  both(&right, &left);
  return p;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
