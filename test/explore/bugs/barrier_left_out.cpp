/// \file
/// A thread that finishes early does not arrive at the barrier.
// finds: deadlock
#include <atomic>

#include "threads.hpp"

pthread_barrier_t barrier;
std::atomic<int> work{1};

void worker() {
  if (work.load() == 0) return;
  work = 0;
  pthread_barrier_wait(&barrier);
}

int main() {
  pthread_barrier_init(&barrier, nullptr, 2);
  run_all({worker, worker});
}
