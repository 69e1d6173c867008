// The flag was set under the mutex, but the write comes after that: the signal itself orders nothing.
// EXPECT: race A B
#include <pthread.h>
#include "invisible.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;
int x;

static void* signaller(void* unused) {
  await(1);
  pthread_mutex_lock(&m);
  ready = 1;
  pthread_mutex_unlock(&m);
  x = 1;  // A
  pthread_cond_signal(&c);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, signaller, 0);
  pthread_mutex_lock(&m);
  reach(1);
  while (!ready) pthread_cond_wait(&c, &m);
  pthread_mutex_unlock(&m);
  x = 2;  // B
  pthread_join(t, 0);
}
