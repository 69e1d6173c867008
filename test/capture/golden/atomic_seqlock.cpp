// A sequence lock whose data is atomic, as it must be.
// PEER: reports fences are nothing to it
// EXPECT: none
// OUTPUT: ok
#include <atomic>
#include <cstdio>
#include <thread>

static std::atomic<unsigned> sequence;
static std::atomic<int> first, second;

int main() {
  std::thread writer([] {
    for (int i = 1; i <= 100; ++i) {
      const unsigned s = sequence.load(std::memory_order_relaxed);
      sequence.store(s + 1, std::memory_order_relaxed);
      std::atomic_thread_fence(std::memory_order_release);
      first.store(i, std::memory_order_relaxed);
      second.store(i, std::memory_order_relaxed);
      sequence.store(s + 2, std::memory_order_release);
    }
  });
  bool good = true;
  for (int i = 0; i < 100;) {
    const unsigned before = sequence.load(std::memory_order_acquire);
    const int a = first.load(std::memory_order_relaxed), b = second.load(std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_acquire);
    if (before % 2 == 0 && sequence.load(std::memory_order_relaxed) == before) {
      good = good && a == b;
      ++i;
    }
  }
  writer.join();
  std::puts(good ? "ok" : "torn");
}
