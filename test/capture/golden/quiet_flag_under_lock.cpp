// Publication by a flag that is read under the same lock: rule (a) orders the sections.
// EXPECT: none
#include <mutex>
#include <thread>
#include "invisible.h"

static std::mutex m;
static bool ready;
int x;

int main() {
  std::thread first([] {
    x = 1;
    std::lock_guard lock(m);
    ready = true;
    reach(1);
  });
  std::thread second([] {
    await(1);
    bool go = false;
    {
      std::lock_guard lock(m);
      go = ready;
    }
    if (go) x = 2;
  });
  first.join();
  second.join();
}
