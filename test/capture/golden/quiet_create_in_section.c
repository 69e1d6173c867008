// A thread is created in a section on m. It can take m only after that section: also the thread that it creates itself.
// EXPECT: none
#include <pthread.h>
#include "invisible.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x, y;

static void* grandchild(void* unused) {
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  y = 2;
  return unused;
}

static void* child(void* unused) {
  pthread_t t;
  pthread_create(&t, 0, grandchild, 0);
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  x = 2;
  pthread_join(t, 0);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_mutex_lock(&m);
  pthread_create(&t, 0, child, 0);
  x = 1;
  y = 1;
  pthread_mutex_unlock(&m);
  pthread_join(t, 0);
}
