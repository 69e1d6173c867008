// A plain write and an atomic load, also when both sides run other atomics in between.
// EXPECT: race A B
#include <atomic>
#include <thread>
#include "invisible.h"

alignas(8) long x;

int main() {
  std::thread t([] {
    x = 1;  // A
    reach(1);
  });
  await(1);
  use(std::atomic_ref<long>(x).load(std::memory_order_acquire));  // B
  t.join();
}
