// Four threads sum disjoint quarters, with different element sizes.
// EXPECT: none
// OUTPUT: 80000
#include <cstdio>
#include <numeric>
#include <thread>
#include <vector>

int main() {
  std::vector<char> bytes(80000);
  std::vector<long> sums(4);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (size_t k = i * 20000; k < (i + 1) * 20000; ++k) bytes[k] = 1;
      for (size_t k = i * 20000; k < (i + 1) * 20000; ++k) sums[i] += bytes[k];
    });
  }
  for (auto& t : threads) t.join();
  std::printf("%ld\n", std::accumulate(sums.begin(), sums.end(), 0L));
}
