// Two sections write one variable: weak-doesn't-commute keeps their order, so the accesses around them stay silent.
// EXPECT: none
// ALLOW: race A B predicted a finer analysis may find it: nobody reads what the sections write
#include <mutex>
#include <thread>
#include "invisible.h"

static std::mutex m;
int x, last;

int main() {
  std::thread first([] {
    x = 1;  // A
    std::lock_guard lock(m);
    last = 1;
    reach(1);
  });
  std::thread second([] {
    await(1);
    {
      std::lock_guard lock(m);
      last = 2;
    }
    x = 2;  // B
  });
  first.join();
  second.join();
}
