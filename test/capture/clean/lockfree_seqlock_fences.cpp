// A seqlock whose data are relaxed atomics between fences; several writers take turns with a compare-exchange.
// EXPECT: none
// OUTPUT: 0 torn, 600
#include <atomic>
#include <cstdio>
#include <thread>

static std::atomic<unsigned> sequence;
static std::atomic<long> first, second;

static void increment() {
  unsigned seen;
  do {
    seen = sequence.load(std::memory_order_relaxed) & ~1U;
  } while (!sequence.compare_exchange_weak(seen, seen + 1, std::memory_order_acquire, std::memory_order_relaxed));
  std::atomic_thread_fence(std::memory_order_release);
  first.store(first.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  second.store(second.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  sequence.store(seen + 2, std::memory_order_release);
}
static bool is_torn() {
  for (;;) {
    const unsigned before = sequence.load(std::memory_order_acquire);
    const long a = first.load(std::memory_order_relaxed);
    const long b = second.load(std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_acquire);
    if ((before & 1U) == 0 && sequence.load(std::memory_order_relaxed) == before) return a != b;
  }
}
int main() {
  std::atomic<int> torn{0};
  auto writer = [] {
    for (int i = 0; i < 300; ++i) increment();
  };
  std::thread a(writer), b(writer), c([&torn] {
    for (int i = 0; i < 300; ++i) torn += is_torn();
  });
  a.join();
  b.join();
  c.join();
  std::printf("%d torn, %ld\n", torn.load(), first.load());
}
