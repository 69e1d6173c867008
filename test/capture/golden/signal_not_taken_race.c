// Another signal than the one that was sent orders nothing.
// EXPECT: race A B
#include <pthread.h>
#include <signal.h>
#include "invisible.h"

int x;
static sigset_t taken;

static void* other(void* unused) {
  int number;
  await(1);
  sigwait(&taken, &number);
  use(x);  // B
  return unused;
}

int main(void) {
  sigset_t both;
  sigemptyset(&taken);
  sigaddset(&taken, SIGUSR1);
  both = taken;
  sigaddset(&both, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &both, 0);
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  pthread_kill(t, SIGUSR1);
  x = 1;  // A
  pthread_kill(t, SIGUSR2);
  reach(1);
  pthread_join(t, 0);
}
