// A lock made of an atomic_flag.
// EXPECT: none
// OUTPUT: 400
#include <atomic>
#include <cstdio>
#include <thread>

static std::atomic_flag taken;
static int counter;

static void work() {
  for (int i = 0; i < 200; ++i) {
    while (taken.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
    ++counter;
    taken.clear(std::memory_order_release);
  }
}

int main() {
  std::thread a(work), b(work);
  a.join();
  b.join();
  std::printf("%d\n", counter);
}
