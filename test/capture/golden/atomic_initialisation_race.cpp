// An atomic is constructed (no atomic operation) and published with a relaxed pointer.
// EXPECT: race A B
#include <atomic>
#include <thread>
#include "invisible.h"

static std::atomic<std::atomic<int>*> shared;
alignas(8) static char place[sizeof(std::atomic<int>)];

int main() {
  std::thread t([] {
    shared.store(new (place) std::atomic<int>(3), std::memory_order_relaxed);  // A
    reach(1);
  });
  await(1);
  use(shared.load(std::memory_order_relaxed)->load());  // B
  t.join();
}
