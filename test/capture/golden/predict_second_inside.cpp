// The first access comes before its section, the second is inside its own.
// EXPECT: race A B predicted
#include <mutex>
#include <thread>
#include "invisible.h"

static std::mutex m;
int x, other;

int main() {
  std::thread first([] {
    x = 1;  // A
    {
      std::lock_guard lock(m);
      other = 1;
    }
    reach(1);
  });
  std::thread second([] {
    await(1);
    std::lock_guard lock(m);
    x = 2;  // B
  });
  first.join();
  second.join();
}
