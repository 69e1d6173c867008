// A timed mutex that is retried until it is taken; the section waits on purpose.
// EXPECT: none
// OUTPUT: 20
#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>

using namespace std::chrono_literals;
static std::timed_mutex mutex;
static int counter;

int main() {
  auto work = [] {
    for (int i = 0; i < 10; ++i) {
      while (!mutex.try_lock_for(1ms)) {
      }
      ++counter;
      std::this_thread::sleep_for(2ms);
      mutex.unlock();
    }
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
  std::printf("%d\n", counter);
}
