// A cache that is filled under the shared lock.
// EXPECT: race A A
#include <shared_mutex>
#include <thread>
#include "invisible.h"

static std::shared_mutex m;
int cached;

static void lookup(int step) {
  await(step);
  std::shared_lock lock(m);
  cached = step;  // A
  reach(step + 1);
}

int main() {
  std::thread a(lookup, 0), b(lookup, 1);
  a.join();
  b.join();
}
