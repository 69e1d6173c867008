// std::barrier with a completion function that swaps the buffers that the phases read and write.
// EXPECT: none
// OUTPUT: 120
#include <barrier>
#include <cstdio>
#include <thread>
#include <vector>

int main() {
  std::vector<int> from(12, 0), to(12, 0);
  std::barrier sync(3, [&]() noexcept { from.swap(to); });
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      for (int phase = 0; phase < 10; ++phase) {
        for (int i = 4 * t; i < 4 * t + 4; ++i) to[i] = from[(i + 1) % 12] + 1;
        sync.arrive_and_wait();
      }
    });
  for (auto& thread : threads) thread.join();
  int sum = 0;
  for (int value : from) sum += value;
  std::printf("%d\n", sum);
}
