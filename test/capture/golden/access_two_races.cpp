// Two races between the same two threads: both are reported.
// PEER: clang misses one report for eight bytes is enough for it
// EXPECT: race A B
// EXPECT: race C D
#include <thread>
#include "invisible.h"

int x, y;

int main() {
  std::thread t([] {
    x = 1;  // A
    y = 1;  // C
    reach(1);
  });
  await(1);
  use(x);  // B
  y = 2;   // D
  t.join();
}
