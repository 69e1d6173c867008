/// \file
/// std::atomic::wait, std::latch and std::barrier.
#include <atomic>
#include <barrier>
#include <latch>

#include "threads.hpp"

std::atomic<int> stage{0};
std::latch all(3);
std::barrier meet(3);

void worker() {
  stage.wait(0);
  all.arrive_and_wait();
  for (int i = 0; i < 3; ++i) meet.arrive_and_wait();
}
void starter() {
  stage = 1;
  stage.notify_all();
  all.arrive_and_wait();
  for (int i = 0; i < 3; ++i) meet.arrive_and_wait();
}

int main() {
  run_all({worker, worker, starter});
}
