// Bit-fields with a zero-width field between them are different locations.
// EXPECT: none
#include <thread>
#include "invisible.h"

struct Flags {
  unsigned a : 3;
  unsigned : 0;
  unsigned b : 5;
};
Flags flags;

int main() {
  std::thread t([] {
    flags.a = 1;
    reach(1);
  });
  await(1);
  flags.b = 2;
  t.join();
  use(flags.a);
}
