// Both accesses are locked, by different mutexes; a third one happens to order them.
// EXPECT: race A B predicted
#include <mutex>
#include <thread>
#include "invisible.h"

static std::mutex m1, m2, log_lock;
int x, lines;

int main() {
  std::thread first([] {
    {
      std::lock_guard lock(m1);
      x = 1;  // A
    }
    std::lock_guard lock(log_lock);
    reach(1);
  });
  std::thread second([] {
    await(1);
    {
      std::lock_guard lock(log_lock);
    }
    std::lock_guard lock(m2);
    x = 2;  // B
  });
  first.join();
  second.join();
}
