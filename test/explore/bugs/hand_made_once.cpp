/// \file
/// A once-flag that is tested and set in two steps.
// finds: assertion
#include <atomic>

#include "threads.hpp"

std::atomic<bool> done{false};
std::atomic<int> made{0};

void once() {
  if (done) return;
  ++made;
  done = true;
}

int main() {
  run_all({once, once});
  assert(made == 1);
}
