// Fences that are missing, or of the wrong kind.
// RUN: 0
// RUN: 1
// RUN: 2
// RUN: 3
// RUN: 4
// EXPECT: race A B
#include <atomic>
#include <thread>
#include "invisible.h"

int data;
static std::atomic<int> flag;

template <std::memory_order Fence, std::memory_order Store, std::memory_order Load, std::memory_order Behind>
static void pass() {
  using enum std::memory_order;
  std::thread t([] {
    data = 42;  // A
    if constexpr (Fence != relaxed) std::atomic_thread_fence(Fence);
    flag.store(1, Store);
  });
  while (flag.load(Load) == 0) std::this_thread::yield();
  if constexpr (Behind != relaxed) std::atomic_thread_fence(Behind);
  use(data);  // B
  t.join();
}

int main(int, char** arguments) {
  using enum std::memory_order;
  switch (arguments[1][0]) {
    case '0':
      return pass<release, relaxed, relaxed, relaxed>(), 0;
    case '1':
      return pass<relaxed, relaxed, relaxed, acquire>(), 0;
    case '2':
      return pass<acquire, relaxed, relaxed, acquire>(), 0;
    case '3':
      return pass<release, relaxed, relaxed, release>(), 0;
    default:
      return pass<relaxed, relaxed, relaxed, seq_cst>(), 0;
  }
}
