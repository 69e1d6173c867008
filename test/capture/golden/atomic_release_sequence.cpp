// A release sequence continues through relaxed read-modify-writes of other threads.
// EXPECT: none
// OUTPUT: 42
#include <atomic>
#include <cstdio>
#include <thread>
#include "invisible.h"

static int data;
static std::atomic<int> flag;

int main() {
  std::thread writer([] {
    data = 42;
    flag.store(1, std::memory_order_release);
    reach(1);
  });
  std::thread middle([] {
    await(1);
    flag.fetch_add(1, std::memory_order_relaxed);
  });
  while (flag.load(std::memory_order_acquire) != 2) std::this_thread::yield();
  std::printf("%d\n", data);
  writer.join();
  middle.join();
}
