// Sections of readers that count themselves, and a writer's that looks at the count: it comes after all readers.
// EXPECT: none
#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include "invisible.h"

static std::shared_mutex m;
static std::atomic<int> readers;
int x, y;

int main() {
  std::thread first([] {
    x = 1;
    std::shared_lock lock(m);
    readers.fetch_add(1, std::memory_order_relaxed);
    reach(1);
  });
  std::thread second([] {
    await(1);
    y = 1;
    std::shared_lock lock(m);
    readers.fetch_add(1, std::memory_order_relaxed);
    reach(2);
  });
  std::thread third([] {
    await(2);
    int count;
    {
      std::unique_lock lock(m);
      count = readers.load(std::memory_order_relaxed);
    }
    if (count == 2) x = y = 2;
  });
  first.join();
  second.join();
  third.join();
}
