// Threads take indices from an atomic counter; each element is written once, and read after join.
// EXPECT: none
// OUTPUT: 499500
#include <atomic>
#include <cstdio>
#include <numeric>
#include <thread>
#include <vector>

int main() {
  std::vector<int> values(1000);
  std::atomic<size_t> next{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      for (size_t k; (k = next.fetch_add(1, std::memory_order_relaxed)) < values.size();)
        values[k] = static_cast<int>(k);
    });
  }
  for (auto& t : threads) t.join();
  std::printf("%d\n", std::accumulate(values.begin(), values.end(), 0));
}
