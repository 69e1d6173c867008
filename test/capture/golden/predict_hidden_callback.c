// A library without instrumentation calls back. The callbacks' sections begin and end in instrumented code.
// LIBRARY: -DLIBRARY -fno-sanitize=thread
// BUILD: %lib
// EXPECT: race A B predicted
#ifdef LIBRARY
void library_call(void (*callback)(void)) {
  callback();
  __asm__ volatile("" ::: "memory");  // so that the call is no jump
}
#else
#include <pthread.h>
#include "invisible.h"

void library_call(void (*callback)(void));

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;

static void section(void) {
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
}

static void* work(void* unused) {
  x = 1;  // A
  library_call(section);
  reach(1);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  await(1);
  library_call(section);
  x = 2;  // B
  pthread_join(t, 0);
}
#endif
