// lock_guard of a copy: each thread has a mutex of its own.
// EXPECT: race A A
#include <mutex>
#include <thread>
#include "invisible.h"

int shared;

static void work(int step) {
  std::mutex m;
  await(step);
  std::lock_guard lock(m);
  shared = step;  // A
  reach(step + 1);
}

int main() {
  std::thread a(work, 0), b(work, 1);
  a.join();
  b.join();
}
