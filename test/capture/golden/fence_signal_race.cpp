// A signal fence orders nothing between threads.
// EXPECT: race A B
#include <atomic>
#include <thread>
#include "invisible.h"

int data;
static std::atomic<int> flag;

int main() {
  std::thread t([] {
    data = 42;  // A
    std::atomic_signal_fence(std::memory_order_release);
    flag.store(1, std::memory_order_relaxed);
  });
  while (flag.load(std::memory_order_relaxed) == 0) std::this_thread::yield();
  std::atomic_signal_fence(std::memory_order_acquire);
  use(data);  // B
  t.join();
}
