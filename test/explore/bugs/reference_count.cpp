/// \file
/// A count that is decremented and then read: two threads see zero, or none does.
// finds: assertion
#include <atomic>

#include "threads.hpp"

std::atomic<int> count{2};
std::atomic<int> freed{0};

void drop() {
  count.fetch_sub(1);
  if (count == 0) ++freed;
}

int main() {
  run_all({drop, drop});
  assert(freed == 1);
}
