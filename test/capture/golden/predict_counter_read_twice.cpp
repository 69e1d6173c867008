// The update of a counter reads it twice: without optimisation GCC has two loads for one store. Both values go only
// into the store, so the sections may run in another order.
// BUILD: -O0
// COMPILER: gcc         clang's plugin takes an update to have one load
// EXPECT: race A B predicted
// ONLINE: misses A B a relation orders sections that read and write the same variable
#include <mutex>
#include <thread>

#include "invisible.h"

std::mutex mutex;
int count = 1;
int x;

void grow() {
  const std::lock_guard<std::mutex> guard(mutex);
  count += 2 * count;
}

int main() {
  std::thread first([] {
    x = 1;  // A
    grow();
    reach(1);
  });
  std::thread second([] {
    await(1);
    grow();
    x = 2;  // B
  });
  first.join();
  second.join();
}
