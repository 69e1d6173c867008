/// \file
/// The thread that joins holds a lock that the other one needs for its last step.
// finds: deadlock
#include <atomic>

#include "threads.hpp"

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

std::atomic<bool> done{false};

void* worker(void*) {
  if (!done) const Guard guard(m);
  return nullptr;
}

int main() {
  pthread_t thread;
  pthread_create(&thread, nullptr, worker, nullptr);
  const Guard guard(m);
  done = true;
  pthread_join(thread, nullptr);
}
