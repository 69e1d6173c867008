// Figure 1 of the Vindicator paper: only the accidental order of two sections separates the accesses.
// EXPECT: race A B predicted
#include <mutex>
#include <thread>
#include "invisible.h"

static std::mutex m;
int x, y, z;

int main() {
  std::thread first([] {
    x = 1;  // A
    std::lock_guard lock(m);
    z = 1;
    reach(1);
  });
  std::thread second([] {
    await(1);
    {
      std::lock_guard lock(m);
      use(y);
    }
    use(x);  // B
  });
  first.join();
  second.join();
}
