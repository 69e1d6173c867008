// The second thread takes the locks in the other order only after it has read that the first one is done.
// expect: quiet
#include <pthread.h>

#include "../golden/invisible.h"

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER,
                       guard = PTHREAD_MUTEX_INITIALIZER;
static int through;

static void *one(void *p) {
  pthread_mutex_lock(&left);
  pthread_mutex_lock(&right);
  pthread_mutex_unlock(&right);
  pthread_mutex_unlock(&left);
  pthread_mutex_lock(&guard);
  through = 1;
  pthread_mutex_unlock(&guard);
  reach(1);
  return p;
}

static void *two(void *p) {
  await(1);
  pthread_mutex_lock(&guard);
  const int may = through;
  pthread_mutex_unlock(&guard);
  if (!may) return p;
  pthread_mutex_lock(&right);
  pthread_mutex_lock(&left);
  pthread_mutex_unlock(&left);
  pthread_mutex_unlock(&right);
  return p;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
