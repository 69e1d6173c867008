// Relaxed counters are no race among themselves.
// EXPECT: none
// OUTPUT: 3000
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

static std::atomic<int> counter;

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([] {
      for (int k = 0; k < 1000; ++k) counter.fetch_add(1, std::memory_order_relaxed);
    });
  }
  for (auto& t : threads) t.join();
  std::printf("%d\n", counter.load(std::memory_order_relaxed));
}
