// Detached threads say that they are done under a mutex; main waits for the count and reads their results.
// EXPECT: none
// OUTPUT: 10
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable changed;
static int left = 4;
static int results[4];

int main() {
  for (int t = 0; t < 4; ++t)
    std::thread([t] {
      results[t] = t + 1;
      const std::lock_guard<std::mutex> lock(mutex);
      --left;
      changed.notify_one();
    }).detach();
  {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [] { return left == 0; });
  }
  std::printf("%d\n", results[0] + results[1] + results[2] + results[3]);
}
