// A function of the C++ library changes a string that another thread reads.
// BUILD: -std=c++17
// EXPECT: race A B
// PEER: misses what the library's code accesses
#include <string>
#include <thread>
#include "invisible.h"

std::string text = "x";

int main() {
  std::thread t([] {
    await(1);
    use(static_cast<long>(text.size()));  // A
  });
  text.push_back('y');  // B
  reach(1);
  t.join();
}
