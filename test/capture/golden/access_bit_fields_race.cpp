// Two bit-fields of one unit are one memory location.
// EXPECT: race A B
#include <thread>
#include "invisible.h"

struct Flags {
  unsigned a : 3;
  unsigned b : 5;
};
Flags flags;

int main() {
  std::thread t([] {
    flags.a = 1;  // A
    reach(1);
  });
  await(1);
  flags.b = 2;  // B
  t.join();
}
