/// \file
/// Peterson's algorithm.
#include <sched.h>
#include <atomic>

#include "threads.hpp"

std::atomic<bool> wants[2];
std::atomic<int> turn{0};
int inside = 0;

template <int me>
void section() {
  wants[me] = true;
  turn = 1 - me;
  while (wants[1 - me] && turn == 1 - me) sched_yield();
  assert(++inside == 1);
  --inside;
  wants[me] = false;
}

int main() {
  run_all({section<0>, section<1>});
}
