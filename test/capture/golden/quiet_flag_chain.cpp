// Publication through a third thread, by two flags under two locks.
// EXPECT: none
#include <mutex>
#include <thread>
#include "invisible.h"

static std::mutex m, n;
static bool one, two;
int x;

int main() {
  std::thread first([] {
    x = 1;
    std::lock_guard lock(m);
    one = true;
    reach(1);
  });
  std::thread middle([] {
    await(1);
    bool go = false;
    {
      std::lock_guard lock(m);
      go = one;
    }
    std::lock_guard lock(n);
    two = go;
    reach(2);
  });
  std::thread last([] {
    await(2);
    bool go = false;
    {
      std::lock_guard lock(n);
      go = two;
    }
    if (go) x = 2;
  });
  first.join();
  middle.join();
  last.join();
}
