/// \file
/// A ticket lock whose tickets are drawn in two steps.
// finds: assertion
#include <sched.h>
#include <atomic>

#include "threads.hpp"

std::atomic<int> next{0};
std::atomic<int> serving{0};
std::atomic<int> inside{0};

void section() {
  const int mine = next;
  next = mine + 1;
  while (serving < mine) sched_yield();
  assert(++inside == 1);
  --inside;
  ++serving;
}

int main() {
  run_all({section, section});
}
