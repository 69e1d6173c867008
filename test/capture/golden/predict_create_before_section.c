// A thread is created before the section on m, not in it: it may be the first to take m.
// EXPECT: race A B predicted
#include <pthread.h>
#include "invisible.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;

static void* child(void* unused) {
  await(1);
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  x = 2;  // A
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  pthread_mutex_lock(&m);
  x = 1;  // B
  pthread_mutex_unlock(&m);
  reach(1);
  pthread_join(t, 0);
}
