// A four-byte write and a one-byte read inside it.
// EXPECT: race A B
#include <cstdint>
#include <thread>
#include "invisible.h"

alignas(8) unsigned char bytes[8];

int main() {
  std::thread t([] {
    *reinterpret_cast<volatile uint32_t*>(bytes + 4) = 7;  // A
    reach(1);
  });
  await(1);
  use(bytes[7]);  // B
  t.join();
}
