/// \file
/// A task is counted when it is done.
#include <sched.h>
#include <atomic>

#include "threads.hpp"

std::atomic<int> left{2};
std::atomic<int> results{0};

void task() {
  ++results;
  --left;
}
void collector() {
  while (left != 0) sched_yield();
  assert(results == 2);
}

int main() {
  run_all({task, task, collector});
}
