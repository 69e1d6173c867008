/// \file
/// Only a thread that finds the flag set takes the wrong order.
// finds: deadlock
#include <atomic>

#include "threads.hpp"

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;

std::atomic<bool> slow{false};

void first() {
  if (slow) {
    const Guard outer(b);
    const Guard inner(a);
  } else {
    const Guard outer(a);
    const Guard inner(b);
  }
}
void second() {
  slow = true;
  const Guard outer(a);
  const Guard inner(b);
}

int main() {
  run_all({first, second});
}
