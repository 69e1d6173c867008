// std::cout that is not synchronised with the C library's streams is a stream like any other.
// EXPECT: race A B
// OUTPUT: 12
// PEER: misses the library is not instrumented
#include <iostream>
#include <thread>
#include "invisible.h"

int main() {
  std::ios::sync_with_stdio(false);
  std::thread other([] {
    await(1);
    std::cout << 2;  // B
  });
  std::cout << 1;  // A
  reach(1);
  other.join();
}
