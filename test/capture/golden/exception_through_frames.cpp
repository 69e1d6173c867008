// Exceptions unwind through instrumented frames, many times; afterwards a race has the right lines.
// EXPECT: race A B
#include <stdexcept>
#include <thread>
#include "invisible.h"

int x;

static int down(int depth) {
  if (depth == 0) throw std::runtime_error("bottom");
  return down(depth - 1) + 1;
}

int main() {
  std::thread t([] {
    for (int i = 0; i < 500; ++i) {
      try {
        use(down(20));
      } catch (const std::runtime_error&) {
      }
    }
    x = 1;  // A
    reach(1);
  });
  await(1);
  x = 2;  // B
  t.join();
}
