// jthread joins by itself; the stop request orders what came before it; a stop_callback runs once.
// EXPECT: none
// OUTPUT: 7 1
#include <atomic>
#include <cstdio>
#include <thread>

static int before, seen;
static std::atomic<int> called;

int main() {
  {
    std::jthread worker([](const std::stop_token& stop) {
      std::stop_callback callback(stop, [] { ++called; });
      while (!stop.stop_requested()) std::this_thread::yield();
      seen = before;
    });
    before = 7;
    worker.request_stop();
  }
  std::printf("%d %d\n", seen, called.load());
}
