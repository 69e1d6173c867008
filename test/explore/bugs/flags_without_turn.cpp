/// \file
/// Mutual exclusion by two flags, each set after the other was tested.
// finds: assertion
#include <sched.h>
#include <atomic>

#include "threads.hpp"

std::atomic<bool> wants[2];
std::atomic<int> inside{0};

template <int me>
void section() {
  while (wants[1 - me]) sched_yield();
  wants[me] = true;
  assert(++inside == 1);
  --inside;
  wants[me] = false;
}

int main() {
  run_all({section<0>, section<1>});
}
