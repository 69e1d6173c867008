// A recursive mutex, taken twice on both sides.
// EXPECT: race A B predicted
#include <mutex>
#include <thread>
#include "invisible.h"

static std::recursive_mutex m;
int x;

static void twice() {
  std::lock_guard outer(m);
  std::lock_guard inner(m);
}

int main() {
  std::thread first([] {
    x = 1;  // A
    twice();
    reach(1);
  });
  std::thread second([] {
    await(1);
    twice();
    x = 2;  // B
  });
  first.join();
  second.join();
}
