// A synchronized pool resource inside the library hands memory from thread to thread.
// EXPECT: none
// OUTPUT: 2000
#include <atomic>
#include <cstdio>
#include <memory_resource>
#include <thread>
#include <vector>

int main() {
  std::pmr::synchronized_pool_resource pool;
  std::atomic<int> sum{0};
  auto work = [&] {
    for (int i = 0; i < 100; ++i) {
      std::pmr::vector<int> values(10, 1, &pool);
      for (int value : values) sum.fetch_add(value, std::memory_order_relaxed);
    }
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
  std::printf("%d\n", sum.load());
}
