// A relaxed store by the same thread ends the release sequence (since C++20); one by another thread always did.
// RUN: same
// RUN: other
// PEER: misses a relaxed store does not end its release sequence
// EXPECT: race A B
#include <atomic>
#include <thread>
#include "invisible.h"

int data;
static std::atomic<int> flag;

int main(int, char** arguments) {
  const bool same = arguments[1][0] == 's';
  std::thread writer([same] {
    data = 42;  // A
    flag.store(1, std::memory_order_release);
    if (same) flag.store(2, std::memory_order_relaxed);
    reach(1);
  });
  std::thread other([same] {
    await(1);
    if (!same) flag.store(2, std::memory_order_relaxed);
    reach(2);
  });
  await(2);
  if (flag.load(std::memory_order_acquire) == 2) use(data);  // B
  writer.join();
  other.join();
}
