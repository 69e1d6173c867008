// A write between the release fence and the relaxed store is not covered by the fence.
// EXPECT: race A B
#include <atomic>
#include <thread>
#include "invisible.h"

int data;
static std::atomic<int> flag;

int main() {
  std::thread t([] {
    std::atomic_thread_fence(std::memory_order_release);
    data = 42;  // A
    flag.store(1, std::memory_order_relaxed);
    reach(1);
  });
  await(1);
  const int seen = flag.load(std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_acquire);
  if (seen == 1) use(data);  // B
  t.join();
}
