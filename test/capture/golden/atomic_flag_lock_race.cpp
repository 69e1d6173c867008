// The same lock with a relaxed clear.
// EXPECT: race A A
#include <atomic>
#include <thread>
#include "invisible.h"

static std::atomic_flag taken;
int counter;

static void work(int step) {
  await(step);
  while (taken.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
  counter = step;  // A
  taken.clear(std::memory_order_relaxed);
  reach(step + 1);
}

int main() {
  std::thread a(work, 0), b(work, 1);
  a.join();
  b.join();
}
