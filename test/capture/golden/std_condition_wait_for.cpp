// wait_for that runs out, and wait_until with a predicate; the timed functions of the library use clockwait.
// EXPECT: none
// OUTPUT: 0 1
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

static std::mutex m;
static std::condition_variable never, changed;
static int value;

int main() {
  using namespace std::chrono;
  std::unique_lock lock(m);
  std::thread t([] {
    {
      std::lock_guard inner(m);
      value = 1;
    }
    changed.notify_one();
  });
  const bool expired = never.wait_for(lock, milliseconds(10), [] { return value == 7; });
  const bool woken = changed.wait_until(lock, steady_clock::now() + seconds(30), [] { return value == 1; });
  lock.unlock();
  t.join();
  std::printf("%d %d\n", expired, woken);
}
