// One race that this schedule shows, and one that it hides.
// EXPECT: race A B predicted
// EXPECT: race C D
#include <mutex>
#include <thread>
#include "invisible.h"

static std::mutex m;
alignas(64) int x;
alignas(64) int y;

int main() {
  std::thread first([] {
    x = 1;  // A
    m.lock();
    m.unlock();
    y = 1;  // C
    reach(1);
  });
  std::thread second([] {
    await(1);
    m.lock();
    m.unlock();
    x = 2;  // B
    y = 2;  // D
  });
  first.join();
  second.join();
}
