// A compare_exchange that fails with a relaxed order has acquired nothing.
// EXPECT: race A B
#include <atomic>
#include <thread>
#include "invisible.h"

int data;
static std::atomic<int> flag;

int main() {
  std::thread t([] {
    data = 42;  // A
    flag.store(1, std::memory_order_release);
    reach(1);
  });
  await(1);
  int expected = 7;
  flag.compare_exchange_strong(expected, 9, std::memory_order_acq_rel, std::memory_order_relaxed);
  if (expected == 1) use(data);  // B
  t.join();
}
