/// \file
/// A test that passes: what it looks at is right.
#include <thread>

#include "counter.hpp"

int main() {
  Counter counter;
  std::thread a([&] { counter.add(1); });
  std::thread b([&] { counter.add(2); });
  a.join();
  b.join();
  return counter.total() == 3 ? 0 : 1;
}
