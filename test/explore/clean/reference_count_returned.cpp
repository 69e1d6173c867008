/// \file
/// The result of the decrement shows which thread was last.
#include <atomic>

#include "threads.hpp"

std::atomic<int> count{3};
std::atomic<int> freed{0};

void drop() {
  if (count.fetch_sub(1) == 1) ++freed;
}

int main() {
  run_all({drop, drop, drop});
  assert(freed == 1);
}
