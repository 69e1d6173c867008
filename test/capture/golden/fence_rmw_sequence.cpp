// A fence before a relaxed read-modify-write, whose value another relaxed one passes on.
// PEER: reports fences are nothing to it
// EXPECT: none
// OUTPUT: 42
#include <atomic>
#include <cstdio>
#include <thread>
#include "invisible.h"

static int data;
static std::atomic<int> flag;

int main() {
  std::thread t([] {
    data = 42;
    std::atomic_thread_fence(std::memory_order_release);
    flag.fetch_add(1, std::memory_order_relaxed);
    reach(1);
  });
  std::thread middle([] {
    await(1);
    flag.fetch_add(1, std::memory_order_relaxed);
  });
  while (flag.load(std::memory_order_relaxed) != 2) std::this_thread::yield();
  std::atomic_thread_fence(std::memory_order_acquire);
  std::printf("%d\n", data);
  t.join();
  middle.join();
}
