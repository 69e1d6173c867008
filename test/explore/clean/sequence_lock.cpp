/// \file
/// A reader that tests it before and after.
#include <sched.h>
#include <atomic>

#include "threads.hpp"

std::atomic<int> version{0};
std::atomic<int> x{0};
std::atomic<int> y{0};

void writer() {
  ++version;
  x = 1;
  y = 1;
  ++version;
}
void reader() {
  for (;;) {
    const int before = version;
    const int left = x;
    const int right = y;
    if (before % 2 == 0 && version == before) {
      assert(left == right);
      return;
    }
    sched_yield();
  }
}

int main() {
  run_all({writer, reader});
}
