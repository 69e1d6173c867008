// The waiter's mutex orders by chance: the value of the flag was decided long before the access.
// EXPECT: race A B predicted
#include <condition_variable>
#include <mutex>
#include <thread>
#include "invisible.h"

static std::mutex m;
static std::condition_variable c;
static bool ready;
int x;

int main() {
  std::thread first([] {
    {
      std::lock_guard lock(m);
      ready = true;
    }
    c.notify_one();
    x = 1;  // A
    {
      std::lock_guard lock(m);
    }
    reach(1);
  });
  std::thread second([] {
    await(1);
    std::unique_lock lock(m);
    c.wait(lock, [] { return ready; });
    lock.unlock();
    x = 2;  // B
  });
  first.join();
  second.join();
}
