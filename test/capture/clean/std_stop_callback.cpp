// A stop callback runs in the thread that requests the stop; its writes are read after the join.
// EXPECT: none
// OUTPUT: stopped 1
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <stop_token>
#include <thread>

int main() {
  int reason = 0;
  std::mutex mutex;
  std::condition_variable_any changed;
  std::jthread thread([&](std::stop_token token) {
    const std::stop_callback callback(token, [&] { reason = 1; });
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, token, [] { return false; });
  });
  thread.request_stop();
  thread.join();
  std::printf("stopped %d\n", reason);
}
