// A cache under a reader/writer lock: on a miss the reader gives the lock up, takes it for writing, and looks again.
// EXPECT: none
// OUTPUT: 10 computed
#include <atomic>
#include <cstdio>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

static std::shared_mutex mutex;
static std::map<int, int> cache;
static int computed;

static int lookup(int key) {
  {
    const std::shared_lock<std::shared_mutex> lock(mutex);
    if (const auto found = cache.find(key); found != cache.end()) return found->second;
  }
  const std::unique_lock<std::shared_mutex> lock(mutex);
  const auto [found, added] = cache.try_emplace(key, 0);
  if (added) {
    found->second = key * key;
    ++computed;
  }
  return found->second;
}
int main() {
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&wrong, t] {
      for (int i = 0; i < 300; ++i) wrong += lookup((i + t) % 10) != (i + t) % 10 * ((i + t) % 10);
    });
  for (auto& thread : threads) thread.join();
  if (wrong == 0) std::printf("%d computed\n", computed);
}
