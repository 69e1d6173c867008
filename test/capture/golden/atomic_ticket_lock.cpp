// A ticket lock: the ticket is taken relaxed, the turn is waited for with acquire.
// EXPECT: none
// OUTPUT: 300
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

static std::atomic<unsigned> next, serving;
static int counter;

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([] {
      for (int k = 0; k < 100; ++k) {
        const unsigned mine = next.fetch_add(1, std::memory_order_relaxed);
        while (serving.load(std::memory_order_acquire) != mine) std::this_thread::yield();
        ++counter;
        serving.store(mine + 1, std::memory_order_release);
      }
    });
  }
  for (auto& t : threads) t.join();
  std::printf("%d\n", counter);
}
