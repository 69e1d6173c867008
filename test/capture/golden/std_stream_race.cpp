// Two threads write to one stream: its state is in the C++ library, but the calls show that it is used.
// EXPECT: race A B
// PEER: misses the library is not instrumented
#include <sstream>
#include <thread>
#include "invisible.h"

int main() {
  std::ostringstream out;
  std::thread other([&] {
    await(1);
    out << 2.5;  // B
  });
  out << 1;  // A
  reach(1);
  other.join();
}
