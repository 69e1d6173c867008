/// \file
/// Three threads have to come in one order of six.
// finds: assertion
#include <atomic>

#include "threads.hpp"

std::atomic<int> state{0};

void one() {
  int expected = 0;
  state.compare_exchange_strong(expected, 1);
}
void two() {
  int expected = 1;
  state.compare_exchange_strong(expected, 2);
}
void three() {
  int expected = 2;
  state.compare_exchange_strong(expected, 3);
}

int main() {
  run_all({three, two, one});
  assert(state != 3);
}
