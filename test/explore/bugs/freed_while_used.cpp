/// \file
/// A block is freed while another thread may still read it.
// finds: heap-use-after-free
#include <sched.h>
#include <atomic>

#include "threads.hpp"

std::atomic<int*> shared{nullptr};

void reader() {
  if (int* const block = shared.load(std::memory_order_relaxed)) {
    if (*block == 2) sched_yield();
  }
}
void freer() {
  int* const block = new int(1);
  shared.store(block);
  shared.store(nullptr);
  delete block;
}

int main() {
  run_all({reader, freer});
}
