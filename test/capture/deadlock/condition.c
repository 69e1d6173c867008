// A wait releases one mutex and keeps the other, which the other thread requests while it holds the first.
// expect: deadlock 14 29
#include <pthread.h>

#include "../golden/invisible.h"

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *waiter(void *p) {
  pthread_mutex_lock(&inner);
  pthread_mutex_lock(&outer);
  for (; !ready; pthread_cond_wait(&changed, &inner)) reach(1);
  pthread_mutex_unlock(&outer);
  pthread_mutex_unlock(&inner);
  reach(2);
  return p;
}

static void *other(void *p) {
  await(1);
  pthread_mutex_lock(&inner);
  ready = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&inner);
  await(2);
  pthread_mutex_lock(&inner);
  pthread_mutex_lock(&outer);
  pthread_mutex_unlock(&outer);
  pthread_mutex_unlock(&inner);
  return p;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, waiter, 0);
  pthread_create(&b, 0, other, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
