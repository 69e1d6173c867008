// Detached workers report through a counter under a mutex; main leaves when all have.
// EXPECT: none
// OUTPUT: 20
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

static std::mutex m;
static std::condition_variable all;
static int done, results[20];

int main() {
  for (int i = 0; i < 20; ++i) {
    std::thread([i] {
      results[i] = 1;
      std::lock_guard lock(m);
      if (++done == 20) all.notify_one();
    }).detach();
  }
  int sum = 0;
  std::unique_lock lock(m);
  all.wait(lock, [] { return done == 20; });
  for (int r : results) sum += r;
  std::printf("%d\n", sum);
}
