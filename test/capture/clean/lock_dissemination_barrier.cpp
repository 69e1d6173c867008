// A dissemination barrier: in round k each thread signals the one 2^k further.
// EXPECT: none
// OUTPUT: 40
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

static std::atomic<int> flags[4][2];
static int values[4];

static void pass(int self, int phase) {
  for (int round = 0; round < 2; ++round) {
    flags[(self + (1 << round)) % 4][round].fetch_add(1, std::memory_order_acq_rel);
    while (flags[self][round].load(std::memory_order_acquire) < phase) std::this_thread::yield();
  }
}
int main() {
  std::vector<std::thread> threads;
  for (int self = 0; self < 4; ++self)
    threads.emplace_back([self] {
      for (int phase = 1; phase <= 20; phase += 2) {
        values[self] += 1;
        pass(self, phase);
        if (self == phase / 2 % 4)
          for (int& value : values) value += 0;
        pass(self, phase + 1);
      }
    });
  for (auto& thread : threads) thread.join();
  std::printf("%d\n", values[0] + values[1] + values[2] + values[3]);
}
