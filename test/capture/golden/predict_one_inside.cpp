// The first access is inside the section, the second after it.
// EXPECT: race A B predicted
#include <mutex>
#include <thread>
#include "invisible.h"

static std::mutex m;
int x, other;

int main() {
  std::thread first([] {
    std::lock_guard lock(m);
    x = 1;  // A
    reach(1);
  });
  std::thread second([] {
    await(1);
    {
      std::lock_guard lock(m);
      other = 1;
    }
    x = 2;  // B
  });
  first.join();
  second.join();
}
