// An atomic store and a plain read of the same memory.
// EXPECT: race A B
#include <atomic>
#include <thread>
#include "invisible.h"

alignas(8) int x;

int main() {
  std::thread t([] {
    std::atomic_ref<int>(x).store(1);  // A
    reach(1);
  });
  await(1);
  use(x);  // B
  t.join();
}
