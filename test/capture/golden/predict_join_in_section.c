// A thread that takes m is joined in a section on m. The section may begin first: then both write x at the same time,
// and wait for each other after that.
// EXPECT: race A B predicted
#include <pthread.h>
#include "invisible.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;

static void* child(void* unused) {
  x = 1;  // A
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  reach(1);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, child, 0);
  await(1);
  pthread_mutex_lock(&m);
  x = 2;  // B
  pthread_join(t, 0);
  pthread_mutex_unlock(&m);
}
