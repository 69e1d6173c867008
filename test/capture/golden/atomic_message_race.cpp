// Message passing with every pair of orders that does not synchronise.
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

template <std::memory_order Store, std::memory_order Load>
static void pass() {
  std::thread t([] {
    data = 42;  // A
    flag.store(1, Store);
  });
  while (flag.load(Load) == 0) std::this_thread::yield();
  use(data);  // B
  t.join();
}

int main(int, char** arguments) {
  using enum std::memory_order;
  switch (arguments[1][0]) {
    case '0':
      return pass<relaxed, relaxed>(), 0;
    case '1':
      return pass<relaxed, acquire>(), 0;
    case '2':
      return pass<release, relaxed>(), 0;
    case '3':
      return pass<relaxed, seq_cst>(), 0;
    default:
      return pass<seq_cst, relaxed>(), 0;
  }
}
