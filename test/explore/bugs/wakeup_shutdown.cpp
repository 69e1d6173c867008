/// \file
/// A worker tests the stop flag, then waits; the flag is set and signalled without the lock.
// finds: lost-wakeup
#include <atomic>

#include "threads.hpp"

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;

std::atomic<bool> stop{false};

void worker() {
  while (!stop) {
    const Guard guard(m);
    if (!stop) pthread_cond_wait(&c, &m);
  }
}
void stopper() {
  stop = true;
  pthread_cond_broadcast(&c);
}

int main() {
  run_all({worker, stopper});
}
