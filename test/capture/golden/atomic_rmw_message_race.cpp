// Read-modify-write operations with the wrong memory orders.
// RUN: 0
// RUN: 1
// RUN: 2
// RUN: 3
// EXPECT: race A B
#include <atomic>
#include <thread>
#include "invisible.h"

int data;
static std::atomic<int> flag;

template <std::memory_order Give, std::memory_order Take>
static void pass() {
  std::thread t([] {
    data = 42;  // A
    flag.exchange(1, Give);
  });
  while (flag.fetch_and(1, Take) == 0) std::this_thread::yield();
  use(data);  // B
  t.join();
}

int main(int, char** arguments) {
  using enum std::memory_order;
  switch (arguments[1][0]) {
    case '0':
      return pass<relaxed, acq_rel>(), 0;
    case '1':
      return pass<acquire, acquire>(), 0;
    case '2':
      return pass<release, release>(), 0;
    default:
      return pass<acq_rel, relaxed>(), 0;
  }
}
