// A flag is set, with release, in a section on m. A thread that has read it takes m after that section.
// EXPECT: none
#include <atomic>
#include <mutex>
#include <thread>
#include "invisible.h"

static std::mutex m;
static std::atomic<bool> begun;
int x;

int main() {
  std::thread first([] {
    std::lock_guard lock(m);
    begun.store(true, std::memory_order_release);
    x = 1;
    reach(1);
  });
  std::thread second([] {
    await(1);
    if (!begun.load(std::memory_order_acquire)) return;
    {
      std::lock_guard lock(m);
    }
    x = 2;
  });
  first.join();
  second.join();
}
