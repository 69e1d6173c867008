// A ring buffer for one producer and one consumer.
// EXPECT: none
// OUTPUT: 499500
#include <array>
#include <atomic>
#include <cstdio>
#include <thread>

static std::array<long, 8> ring;
static std::atomic<size_t> head, tail;

int main() {
  std::thread producer([] {
    for (long i = 0; i < 1000; ++i) {
      const size_t t = tail.load(std::memory_order_relaxed);
      while (t - head.load(std::memory_order_acquire) == ring.size()) std::this_thread::yield();
      ring[t % ring.size()] = i;
      tail.store(t + 1, std::memory_order_release);
    }
  });
  long sum = 0;
  for (int i = 0; i < 1000; ++i) {
    const size_t h = head.load(std::memory_order_relaxed);
    while (tail.load(std::memory_order_acquire) == h) std::this_thread::yield();
    sum += ring[h % ring.size()];
    head.store(h + 1, std::memory_order_release);
  }
  producer.join();
  std::printf("%ld\n", sum);
}
