// Two orders of two rwlocks, but for reading: readers do not exclude each other.
// expect: quiet
#include <pthread.h>

static pthread_rwlock_t left = PTHREAD_RWLOCK_INITIALIZER, right = PTHREAD_RWLOCK_INITIALIZER;

static void both(pthread_rwlock_t *first, pthread_rwlock_t *second) {
  pthread_rwlock_rdlock(first);
  pthread_rwlock_rdlock(second);
  pthread_rwlock_unlock(second);
  pthread_rwlock_unlock(first);
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
