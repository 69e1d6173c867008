// Readers wait for a version with condition_variable_any on a shared mutex.
// EXPECT: none
// OUTPUT: 15
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

static std::shared_mutex mutex;
static std::condition_variable_any changed;
static int version;
static int copies[3];

int main() {
  std::vector<std::thread> readers;
  for (int t = 0; t < 3; ++t)
    readers.emplace_back([t] {
      std::shared_lock<std::shared_mutex> lock(mutex);
      changed.wait(lock, [] { return version == 5; });
      copies[t] = version;
    });
  for (int i = 1; i <= 5; ++i) {
    {
      const std::unique_lock<std::shared_mutex> lock(mutex);
      version = i;
    }
    changed.notify_all();
  }
  for (auto& reader : readers) reader.join();
  std::printf("%d\n", copies[0] + copies[1] + copies[2]);
}
