// A thread that has released m is joined in a section on m. Events after the join are ordered after all of its events.
// EXPECT: none
#include <pthread.h>
#include "invisible.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;

static void* child(void* unused) {
  x = 1;
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
  pthread_join(t, 0);
  x = 2;
  pthread_mutex_unlock(&m);
}
