// Two sections only write the same variable. Every relation orders them by that conflict, though neither reads.
// In the other order of the sections the accesses around them race.
// EXPECT: race A B predicted
// ONLINE: misses A B every relation orders two sections that write the same variable
#include <mutex>
#include <thread>
#include "invisible.h"

std::mutex m;
int last_user;
int x;

static void first() {
  x = 1;  // A
  {
    const std::lock_guard hold(m);
    last_user = 1;
  }
  reach(1);
}

static void second() {
  await(1);
  {
    const std::lock_guard hold(m);
    last_user = 2;
  }
  x = 2;  // B
}

int main() {
  std::thread one(first);
  std::thread other(second);
  one.join();
  other.join();
}
