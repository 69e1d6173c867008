/// \file
/// The length is published before the element.
// finds: assertion
#include <atomic>

#include "threads.hpp"

std::atomic<int> length{0};
std::atomic<int> element{0};

void append() {
  length = 1;
  element = 7;
}
void reader() {
  if (length == 1) assert(element == 7);
}

int main() {
  run_all({append, reader});
}
