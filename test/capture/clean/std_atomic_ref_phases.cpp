// A plain array is used by atomic_ref in one phase and plainly in the next; a latch separates them.
// EXPECT: none
// OUTPUT: 800
#include <atomic>
#include <cstdio>
#include <latch>
#include <thread>
#include <vector>

int main() {
  std::vector<int> counters(8, 0);
  std::latch counted(4);
  int sums[4] = {};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) std::atomic_ref<int>(counters[i % 8]).fetch_add(1, std::memory_order_relaxed);
      counted.arrive_and_wait();
      sums[t] = counters[2 * t] + counters[2 * t + 1];
    });
  for (auto& thread : threads) thread.join();
  std::printf("%d\n", sums[0] + sums[1] + sums[2] + sums[3]);
}
