// A trylock that fails orders nothing, and its caller continues without the lock.
// EXPECT: race A B
#include <errno.h>
#include <pthread.h>
#include "invisible.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;

static void* first(void* unused) {
  pthread_mutex_lock(&m);
  x = 1;  // A
  reach(1);
  await(2);
  pthread_mutex_unlock(&m);
  return unused;
}

static void* second(void* unused) {
  await(1);
  if (pthread_mutex_trylock(&m) == EBUSY) use(x);  // B
  reach(2);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
