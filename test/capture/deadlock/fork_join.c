// The orders differ, but one thread is joined before the other begins.
// expect: quiet
#include <pthread.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *p) {
  pthread_mutex_lock(&left);
  pthread_mutex_lock(&right);
  pthread_mutex_unlock(&right);
  pthread_mutex_unlock(&left);
  return p;
}

static void *two(void *p) {
  pthread_mutex_lock(&right);
  pthread_mutex_lock(&left);
  pthread_mutex_unlock(&left);
  pthread_mutex_unlock(&right);
  return p;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_join(a, 0);
  pthread_create(&b, 0, two, 0);
  pthread_join(b, 0);
}
