// Threads draw from rand() under a lock; the number drawn decides which thread owns the next slot.
// EXPECT: none
// OUTPUT: 400
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex mutex;
static int slots[16];

int main() {
  std::srand(1);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 100; ++i) {
        const std::lock_guard<std::mutex> lock(mutex);
        ++slots[std::rand() % 16];
      }
    });
  for (auto& thread : threads) thread.join();
  int sum = 0;
  for (int slot : slots) sum += slot;
  std::printf("%d\n", sum);
}
