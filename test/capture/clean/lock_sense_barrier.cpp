// A sense-reversing barrier of atomics between phases that exchange plain data.
// EXPECT: none
// OUTPUT: 60
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

static std::atomic<int> waiting{3};
static std::atomic<bool> sense{false};
static int cells[2][3];

static void pass(bool& mine) {
  mine = !mine;
  if (waiting.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    waiting.store(3, std::memory_order_relaxed);
    sense.store(mine, std::memory_order_release);
  } else {
    while (sense.load(std::memory_order_acquire) != mine) std::this_thread::yield();
  }
}
int main() {
  std::vector<std::thread> threads;
  for (int self = 0; self < 3; ++self)
    threads.emplace_back([self] {
      bool mine = false;
      for (int phase = 0; phase < 20; ++phase) {
        cells[(phase + 1) % 2][self] = cells[phase % 2][(self + 1) % 3] + 1;
        pass(mine);
      }
    });
  for (auto& thread : threads) thread.join();
  std::printf("%d\n", cells[0][0] + cells[0][1] + cells[0][2]);
}
