// The fence comes after the store, or before the load: it orders nothing there.
// RUN: after
// RUN: before
// EXPECT: race A B
#include <atomic>
#include <thread>
#include "invisible.h"

int data;
static std::atomic<int> flag;

int main(int, char** arguments) {
  const bool after = arguments[1][0] == 'a';
  std::thread t([after] {
    data = 42;  // A
    if (!after) std::atomic_thread_fence(std::memory_order_release);
    flag.store(1, std::memory_order_relaxed);
    if (after) std::atomic_thread_fence(std::memory_order_release);
    reach(1);
  });
  await(1);
  if (!after) std::atomic_thread_fence(std::memory_order_acquire);
  const int seen = flag.load(std::memory_order_relaxed);
  if (after) std::atomic_thread_fence(std::memory_order_acquire);
  if (seen == 1) use(data);  // B
  t.join();
}
