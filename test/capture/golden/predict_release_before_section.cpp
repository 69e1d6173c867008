// A flag is set, with release, before the section on m: a thread that has read it may take m first.
// EXPECT: race A B predicted
#include <atomic>
#include <mutex>
#include <thread>
#include "invisible.h"

static std::mutex m;
static std::atomic<bool> begun;
int x;

int main() {
  std::thread first([] {
    begun.store(true, std::memory_order_release);
    std::lock_guard lock(m);
    x = 1;  // A
    reach(1);
  });
  std::thread second([] {
    await(1);
    if (!begun.load(std::memory_order_acquire)) return;
    {
      std::lock_guard lock(m);
    }
    x = 2;  // B
  });
  first.join();
  second.join();
}
