// Different threads own different bytes of a cell for a while; then one byte is shared.
// PEER: misses four shadow words hold no more than four accesses
// EXPECT: race A B
#include <thread>
#include "invisible.h"

alignas(8) char bytes[8];

int main() {
  std::thread t([] {
    for (int k = 0; k < 3; ++k) {
      for (int i = 0; i < 3; ++i) bytes[i] = 1;
    }
    bytes[3] = 4;  // A
    reach(1);
  });
  for (int k = 0; k < 3; ++k) {
    for (int i = 4; i < 8; ++i) bytes[i] = 2;
  }
  await(1);
  use(bytes[3]);  // B
  t.join();
}
