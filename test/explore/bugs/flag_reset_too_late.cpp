/// \file
/// A hand-shake whose flag is reset after the answer may have come.
// finds: livelock
#include <sched.h>
#include <atomic>

#include "threads.hpp"

std::atomic<int> flag{0};

void asker() {
  flag = 1;
  while (flag != 2) sched_yield();
}
void answerer() {
  flag = 2;
}

int main() {
  run_all({asker, answerer});
}
