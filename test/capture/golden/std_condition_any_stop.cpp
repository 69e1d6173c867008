// condition_variable_any with a stop token and a shared_mutex.
// EXPECT: none
// OUTPUT: 5 0
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_mutex m;
static std::condition_variable_any changed;
static int value;

int main() {
  int seen = 0;
  bool woken = true;
  std::jthread reader([&](const std::stop_token&) {
    std::shared_lock lock(m);
    changed.wait(lock, [] { return value != 0; });
    seen = value;
  });
  std::jthread stopped([&](const std::stop_token& stop) {
    std::unique_lock lock(m);
    woken = changed.wait(lock, stop, [] { return value == 9; });
  });
  {
    std::unique_lock lock(m);
    value = 5;
  }
  changed.notify_all();
  stopped.request_stop();
  reader.join();
  stopped.join();
  std::printf("%d %d\n", seen, woken);
}
