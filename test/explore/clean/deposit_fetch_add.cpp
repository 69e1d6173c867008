/// \file
/// An atomic counter that is incremented.
#include <atomic>

#include "threads.hpp"

std::atomic<int> balance{0};

void deposit() {
  balance.fetch_add(1);
}

int main() {
  run_all({deposit, deposit, deposit});
  assert(balance == 3);
}
