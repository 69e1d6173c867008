/// \file
/// Tickets that are drawn in one step.
#include <sched.h>
#include <atomic>

#include "threads.hpp"

std::atomic<int> next{0};
std::atomic<int> serving{0};
int inside = 0;

void section() {
  const int mine = next.fetch_add(1);
  while (serving != mine) sched_yield();
  assert(++inside == 1);
  --inside;
  serving = mine + 1;
}

int main() {
  run_all({section, section, section});
}
