/// \file
/// The flag is tested before the lock is taken: the signal may come in between.
// finds: lost-wakeup
#include <atomic>

#include "threads.hpp"

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;

std::atomic<bool> ready{false};

void waiter() {
  if (ready) return;
  const Guard guard(m);
  pthread_cond_wait(&c, &m);
}
void signaller() {
  ready = true;
  pthread_cond_signal(&c);
}

int main() {
  run_all({waiter, signaller});
}
