// compare_exchange: success acquires, and so does failure if its own order says so.
// RUN: succeeds
// RUN: fails
// EXPECT: none
// OUTPUT: 42
#include <atomic>
#include <cstdio>
#include <thread>

static int data;
static std::atomic<int> flag;

int main(int, char** arguments) {
  const bool fails = arguments[1][0] == 'f';
  std::thread t([] {
    data = 42;
    flag.store(1, std::memory_order_release);
  });
  for (;;) {
    int expected = fails ? 7 : 1;
    const bool done =
        fails ? flag.compare_exchange_strong(expected, 9, std::memory_order_relaxed, std::memory_order_acquire)
              : flag.compare_exchange_weak(expected, 2, std::memory_order_acquire, std::memory_order_relaxed);
    if (fails ? expected == 1 : done) break;
    std::this_thread::yield();
  }
  std::printf("%d\n", data);
  t.join();
}
