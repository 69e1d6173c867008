/// \file
/// A latch whose count is loaded and stored.
// finds: lost-wakeup
#include <atomic>

#include "threads.hpp"

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;

std::atomic<int> left{2};

void worker() {
  left = left - 1;
  if (left == 0) {
    const Guard guard(m);
    pthread_cond_signal(&c);
  }
}
void waiter() {
  const Guard guard(m);
  while (left != 0) pthread_cond_wait(&c, &m);
}

int main() {
  run_all({worker, worker, waiter});
}
