// Two threads hold two different mutexes.
// EXPECT: race A B
#include <pthread.h>
#include "invisible.h"

static pthread_mutex_t m1 = PTHREAD_MUTEX_INITIALIZER, m2 = PTHREAD_MUTEX_INITIALIZER;
int x;

static void* first(void* unused) {
  pthread_mutex_lock(&m1);
  x = 1;  // A
  pthread_mutex_unlock(&m1);
  reach(1);
  return unused;
}

static void* second(void* unused) {
  await(1);
  pthread_mutex_lock(&m2);
  x = 2;  // B
  pthread_mutex_unlock(&m2);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
