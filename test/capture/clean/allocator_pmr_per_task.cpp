// Each task has a monotonic buffer over memory that a synchronised pool gives and takes back.
// EXPECT: none
// OUTPUT: 3000
#include <atomic>
#include <cstdio>
#include <memory_resource>
#include <string>
#include <thread>
#include <vector>

int main() {
  std::pmr::synchronized_pool_resource pool;
  std::atomic<int> total{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&pool, &total] {
      for (int i = 0; i < 50; ++i) {
        std::pmr::monotonic_buffer_resource buffer(256, &pool);
        std::pmr::vector<std::pmr::string> words(&buffer);
        for (int k = 0; k < 20; ++k) words.emplace_back("a string that does not fit into its own object");
        total += static_cast<int>(words.size());
      }
    });
  for (auto& thread : threads) thread.join();
  std::printf("%d\n", total.load());
}
