/// \file
/// Two wait for an atomic, and all are notified.
#include <atomic>

#include "threads.hpp"

std::atomic<int> state{0};

void waiter() {
  state.wait(0);
  assert(state == 1);
}
void notifier() {
  state = 1;
  state.notify_all();
}

int main() {
  run_all({waiter, waiter, notifier});
}
