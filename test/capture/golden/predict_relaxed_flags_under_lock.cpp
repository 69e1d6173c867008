// Two sections on one lock read one relaxed flag, and each writes one of its own: nothing keeps them in this order.
// EXPECT: race A B predicted
#include <atomic>
#include <mutex>
#include <thread>
#include "invisible.h"

static std::mutex m;
static std::atomic<int> shared, of_first, of_second;
int x;

int main() {
  std::thread first([] {
    x = 1;  // A
    std::lock_guard lock(m);
    of_first.store(shared.load(std::memory_order_relaxed), std::memory_order_relaxed);
    reach(1);
  });
  std::thread second([] {
    await(1);
    {
      std::lock_guard lock(m);
      of_second.fetch_add(shared.load(std::memory_order_relaxed), std::memory_order_relaxed);
    }
    x = 2;  // B
  });
  first.join();
  second.join();
}
