// Plain accesses before the threads start and after they end; atomic_ref in between.
// EXPECT: none
// OUTPUT: 400
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

int main() {
  std::vector<long> values(4, 0);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 100; ++k)
        std::atomic_ref(values[static_cast<size_t>(k) % 4]).fetch_add(1, std::memory_order_relaxed);
    });
  }
  for (auto& t : threads) t.join();
  std::printf("%ld\n", values[0] + values[1] + values[2] + values[3]);
}
