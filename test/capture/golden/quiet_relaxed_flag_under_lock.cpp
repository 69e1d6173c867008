// A relaxed atomic flag, changed and read only under a lock. A thread that reads it set comes after its writer: the
// sections conflict though they share no plain data.
// EXPECT: none
#include <atomic>
#include <mutex>
#include <thread>
#include "invisible.h"

static std::mutex m;
static std::atomic<bool> ready;
int x;

int main() {
  std::thread first([] {
    x = 1;
    std::lock_guard lock(m);
    ready.store(true, std::memory_order_relaxed);
    reach(1);
  });
  std::thread second([] {
    await(1);
    bool is_ready;
    {
      std::lock_guard lock(m);
      is_ready = ready.load(std::memory_order_relaxed);
    }
    if (is_ready) x = 2;
  });
  first.join();
  second.join();
}
