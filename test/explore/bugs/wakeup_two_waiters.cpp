/// \file
/// Two wait, and only one is woken.
// finds: lost-wakeup
#include "threads.hpp"

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;

bool ready = false;

void waiter() {
  const Guard guard(m);
  while (!ready) pthread_cond_wait(&c, &m);
}
void signaller() {
  const Guard guard(m);
  ready = true;
  pthread_cond_signal(&c);
}

int main() {
  run_all({waiter, waiter, signaller});
}
