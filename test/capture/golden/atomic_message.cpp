// Message passing with every pair of orders that synchronises.
// RUN: 0
// RUN: 1
// RUN: 2
// RUN: 3
// RUN: 4
// EXPECT: none
// OUTPUT: 42
#include <atomic>
#include <cstdio>
#include <thread>

static int data;
static std::atomic<int> flag;

template <std::memory_order Store, std::memory_order Load>
static void pass() {
  std::thread t([] {
    data = 42;
    flag.store(1, Store);
  });
  while (flag.load(Load) == 0) std::this_thread::yield();
  std::printf("%d\n", data);
  t.join();
}

int main(int, char** arguments) {
  using enum std::memory_order;
  switch (arguments[1][0]) {
    case '0':
      return pass<release, acquire>(), 0;
    case '1':
      return pass<release, seq_cst>(), 0;
    case '2':
      return pass<seq_cst, acquire>(), 0;
    case '3':
      return pass<seq_cst, seq_cst>(), 0;
    default:
      return pass<release, consume>(), 0;
  }
}
