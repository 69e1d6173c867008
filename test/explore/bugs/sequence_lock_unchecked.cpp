/// \file
/// A reader of a sequence lock that tests the version only before it reads.
// finds: assertion
#include <atomic>

#include "threads.hpp"

std::atomic<int> version{0};
std::atomic<int> x{0};
std::atomic<int> y{0};

void writer() {
  ++version;
  x = 1;
  y = 1;
  ++version;
}
void reader() {
  if (version % 2 != 0) return;
  const int left = x;
  const int right = y;
  assert(left == right);
}

int main() {
  run_all({writer, reader});
}
