/// \file
/// A wait without a loop: it may end without a signal.
// finds: assertion
#include "threads.hpp"

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;

bool ready = false;

void waiter() {
  const Guard guard(m);
  if (!ready) pthread_cond_wait(&c, &m);
  assert(ready);
}
void busy() {
  for (int i = 0; i < 40; ++i) const Guard guard(m);
}
void signaller() {
  busy();
  const Guard guard(m);
  ready = true;
  pthread_cond_signal(&c);
}

int main() {
  run_all({waiter, signaller});
}
