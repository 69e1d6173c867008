/// \file
/// A compare-exchange that succeeds although the value went away and came back.
// finds: assertion
#include <atomic>

#include "threads.hpp"

std::atomic<int> state{0};
std::atomic<int> rounds{0};

void round_trip() {
  state = 1;
  ++rounds;
  state = 0;
}
void observer() {
  int seen = state;
  const int before = rounds;
  if (seen == 0 && state.compare_exchange_strong(seen, 2)) {
    assert(rounds == before);  // nothing has happened in between
    state = 0;
  }
}

int main() {
  run_all({round_trip, observer});
}
