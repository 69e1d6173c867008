// A handler in one thread writes what another thread writes.
// EXPECT: race A B
#include <pthread.h>
#include <signal.h>
#include "invisible.h"

int x;

static void handler(int number) {
  (void)number;
  x = 1;  // A
}

static void* work(void* unused) {
  raise(SIGUSR1);
  reach(1);
  return unused;
}

int main(void) {
  signal(SIGUSR1, handler);
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  await(1);
  x = 2;  // B
  pthread_join(t, 0);
}
