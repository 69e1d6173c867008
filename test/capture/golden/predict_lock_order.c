// The same in C, and the accesses in the other order: first the read, then the write.
// EXPECT: race A B predicted
#include <pthread.h>
#include "invisible.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x, y, z;

static void* first(void* unused) {
  use(x);  // A
  pthread_mutex_lock(&m);
  z = 1;
  pthread_mutex_unlock(&m);
  reach(1);
  return unused;
}

static void* second(void* unused) {
  await(1);
  pthread_mutex_lock(&m);
  y = 1;
  pthread_mutex_unlock(&m);
  x = 2;  // B
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
