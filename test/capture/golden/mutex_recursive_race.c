// After the last unlock of a recursive mutex nothing protects the access.
// BUILD: -D_GNU_SOURCE
// EXPECT: race A B
#include <pthread.h>
#include "invisible.h"

static pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
int x;

static void* first(void* unused) {
  pthread_mutex_lock(&m);
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  pthread_mutex_unlock(&m);
  x = 1;  // A
  reach(1);
  return unused;
}

static void* second(void* unused) {
  await(1);
  pthread_mutex_lock(&m);
  x = 2;  // B
  pthread_mutex_unlock(&m);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
