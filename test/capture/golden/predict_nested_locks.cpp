// Sections inside sections: the outer locks differ, the inner one is common and orders by chance.
// EXPECT: race A B predicted
#include <mutex>
#include <thread>
#include "invisible.h"

static std::mutex outer1, outer2, inner;
int x;

int main() {
  std::thread first([] {
    std::lock_guard lock(outer1);
    x = 1;  // A
    std::lock_guard also(inner);
    reach(1);
  });
  std::thread second([] {
    await(1);
    std::lock_guard lock(outer2);
    {
      std::lock_guard also(inner);
    }
    x = 2;  // B
  });
  first.join();
  second.join();
}
