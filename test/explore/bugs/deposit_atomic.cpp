/// \file
/// An atomic counter that is loaded and stored, not incremented.
// finds: assertion
#include <atomic>

#include "threads.hpp"

std::atomic<int> balance{0};

void deposit() {
  balance.store(balance.load() + 1);
}

int main() {
  run_all({deposit, deposit});
  assert(balance == 2);
}
