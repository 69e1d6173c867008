/// \file
/// A task is counted as done before it is.
// finds: assertion
#include <sched.h>
#include <atomic>

#include "threads.hpp"

std::atomic<int> left{2};
std::atomic<int> results{0};

void task() {
  --left;
  ++results;
}
void collector() {
  while (left != 0) sched_yield();
  assert(results == 2);
}

int main() {
  run_all({task, task, collector});
}
