// Workers fill their parts and count down; main waits, then releases them with a second latch.
// EXPECT: none
// OUTPUT: 10 4
#include <cstdio>
#include <latch>
#include <numeric>
#include <thread>
#include <vector>

int main() {
  std::latch ready(4), go(1);
  std::vector<int> parts(4), seen(4);
  int total = 0;
  std::vector<std::thread> threads;
  for (size_t i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      parts[i] = static_cast<int>(i) + 1;
      ready.count_down();
      go.wait();
      seen[i] = total == 10;
    });
  }
  ready.wait();
  total = std::accumulate(parts.begin(), parts.end(), 0);
  go.count_down();
  for (auto& t : threads) t.join();
  std::printf("%d %d\n", total, std::accumulate(seen.begin(), seen.end(), 0));
}
