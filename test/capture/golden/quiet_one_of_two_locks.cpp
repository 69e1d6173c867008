// Each access holds two of three locks: every pair has one in common.
// EXPECT: none
#include <mutex>
#include <thread>
#include "invisible.h"

static std::mutex m[3];
int x;

static void work(int step) {
  await(step);
  std::scoped_lock lock(m[step], m[(step + 1) % 3]);
  x = step;
  reach(step + 1);
}

int main() {
  std::thread a(work, 0), b(work, 1), c(work, 2);
  a.join();
  b.join();
  c.join();
}
