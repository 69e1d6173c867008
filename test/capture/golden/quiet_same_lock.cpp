// Both accesses are in sections of one lock, with much else around them.
// EXPECT: none
#include <mutex>
#include <thread>
#include "invisible.h"

static std::mutex m, noise;
int x, y;

static void work(int step) {
  await(step);
  {
    std::lock_guard lock(noise);
  }
  {
    std::lock_guard lock(m);
    x = step;
    y = x;
  }
  {
    std::lock_guard lock(noise);
  }
  reach(step + 1);
}

int main() {
  std::thread a(work, 0), b(work, 1), c(work, 2);
  a.join();
  b.join();
  c.join();
}
