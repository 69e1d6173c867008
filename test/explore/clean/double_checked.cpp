/// \file
/// Double-checked locking as it should be.
#include <atomic>

#include "threads.hpp"

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

std::atomic<bool> made{false};
int value = 0;

int get() {
  if (!made.load(std::memory_order_acquire)) {
    const Guard guard(m);
    if (!made.load(std::memory_order_relaxed)) {
      value = 42;
      made.store(true, std::memory_order_release);
    }
  }
  return value;
}
void user() {
  assert(get() == 42);
}

int main() {
  run_all({user, user, user});
}
