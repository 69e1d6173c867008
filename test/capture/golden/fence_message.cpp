// Message passing with fences: release side fence or store, acquire side fence or load, every order of a fence.
// RUN: 0
// RUN: 1
// RUN: 2
// RUN: 3
// RUN: 4
// RUN: 5
// PEER: reports fences are nothing to it
// EXPECT: none
// OUTPUT: 42
#include <atomic>
#include <cstdio>
#include <thread>

static int data;
static std::atomic<int> flag;

template <std::memory_order Fence, std::memory_order Store, std::memory_order Load, std::memory_order Behind>
static void pass() {
  using enum std::memory_order;
  std::thread t([] {
    data = 42;
    if constexpr (Fence != relaxed) std::atomic_thread_fence(Fence);
    flag.store(1, Store);
  });
  while (flag.load(Load) == 0) std::this_thread::yield();
  if constexpr (Behind != relaxed) std::atomic_thread_fence(Behind);
  std::printf("%d\n", data);
  t.join();
}

int main(int, char** arguments) {
  using enum std::memory_order;
  switch (arguments[1][0]) {
    case '0':
      return pass<release, relaxed, relaxed, acquire>(), 0;
    case '1':
      return pass<release, relaxed, acquire, relaxed>(), 0;
    case '2':
      return pass<relaxed, release, relaxed, acquire>(), 0;
    case '3':
      return pass<acq_rel, relaxed, relaxed, acq_rel>(), 0;
    case '4':
      return pass<seq_cst, relaxed, relaxed, seq_cst>(), 0;
    default:
      return pass<seq_cst, relaxed, seq_cst, relaxed>(), 0;
  }
}
