/// \file
/// A thread that sleeps for a shorter time returns first.
#include <unistd.h>
#include <atomic>

#include "threads.hpp"

std::atomic<int> order{0};

void short_sleep() {
  usleep(1000);
  assert(order.fetch_add(1) == 0);
}
void long_sleep() {
  sleep(5);
  assert(order.fetch_add(1) == 1);
}

int main() {
  run_all({long_sleep, short_sleep});
}
