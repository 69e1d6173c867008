// Philosophers take the second fork with try_lock and put the first one back if it fails.
// EXPECT: none
// OUTPUT: 200
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex forks[4];
static int uses[4];

int main() {
  std::vector<std::thread> threads;
  for (int self = 0; self < 4; ++self)
    threads.emplace_back([self] {
      const int other = (self + 1) % 4;
      for (int meals = 0; meals < 25;) {
        const std::lock_guard<std::mutex> left(forks[self]);
        const std::unique_lock<std::mutex> right(forks[other], std::try_to_lock);
        if (!right) continue;
        ++uses[self];
        ++uses[other];
        ++meals;
      }
    });
  for (auto& thread : threads) thread.join();
  std::printf("%d\n", uses[0] + uses[1] + uses[2] + uses[3]);
}
