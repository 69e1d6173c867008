// A library that is instrumented is seen: the two sections use different parts of its state.
// LIBRARY: -DLIBRARY
// BUILD: %lib
// EXPECT: race A B predicted
#ifdef LIBRARY
static int counts[64];
void library_push(int which) { counts[which]++; }
#else
#include <pthread.h>
#include "invisible.h"

void library_push(int which);

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;

static void section(int which) {
  pthread_mutex_lock(&m);
  library_push(which);
  pthread_mutex_unlock(&m);
}

static void* work(void* unused) {
  x = 1;  // A
  section(0);
  reach(1);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  await(1);
  section(32);
  x = 2;  // B
  pthread_join(t, 0);
}
#endif
