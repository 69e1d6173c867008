// An element of a std::array on a thread's stack, which a lambda has captured by reference.
// EXPECT: race A B
#include <array>
#include <thread>
#include "invisible.h"

int main() {
  std::array<int, 16> values{};
  std::thread t([&values] {
    values[9] = 1;  // A
    reach(1);
  });
  await(1);
  values[9] = 2;  // B
  t.join();
  use(values[3]);
}
