/// \file
/// Mutual exclusion by two flags without a turn: both set theirs and wait for ever.
// finds: livelock
#include <sched.h>
#include <atomic>

#include "threads.hpp"

std::atomic<bool> wants[2];

template <int me>
void section() {
  wants[me] = true;
  while (wants[1 - me]) sched_yield();
  wants[me] = false;
}

int main() {
  run_all({section<0>, section<1>});
}
