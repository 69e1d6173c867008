/// \file
/// Double-checked locking that publishes before it initialises.
// finds: assertion
#include <atomic>

#include "threads.hpp"

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

std::atomic<bool> made{false};
std::atomic<int> value{0};

int get() {
  if (!made) {
    const Guard guard(m);
    if (!made) {
      made = true;
      value = 42;
    }
  }
  return value;
}
void user() {
  assert(get() == 42);
}

int main() {
  run_all({user, user});
}
