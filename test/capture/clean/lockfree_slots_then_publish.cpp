// Writers reserve slots with a relaxed counter, fill them, and count themselves done with a release.
// EXPECT: none
// OUTPUT: 4950
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

static int slots[100];
static std::atomic<int> next, filled;

int main() {
  std::vector<std::thread> writers;
  for (int t = 0; t < 4; ++t)
    writers.emplace_back([] {
      for (int at; (at = next.fetch_add(1, std::memory_order_relaxed)) < 100;) {
        slots[at] = at;
        filled.fetch_add(1, std::memory_order_release);
      }
    });
  while (filled.load(std::memory_order_acquire) < 100) std::this_thread::yield();
  int sum = 0;
  for (int value : slots) sum += value;
  for (auto& thread : writers) thread.join();
  std::printf("%d\n", sum);
}
