// Neighbouring bytes, halves and words of one eight-byte cell: no race.
// EXPECT: none
#include <cstdint>
#include <thread>
#include "invisible.h"

struct alignas(8) Cell {
  uint8_t a, b;
  uint16_t c;
  uint32_t d;
};

static Cell cell;
static char bytes[16];

int main() {
  std::thread t([] {
    cell.a = 1;
    cell.c = 2;
    for (size_t i = 0; i < 16; i += 2) bytes[i] = 1;
    reach(1);
  });
  await(1);
  cell.b = 1;
  cell.d = 2;
  for (size_t i = 1; i < 16; i += 2) bytes[i] = 2;
  use(cell.b + static_cast<long>(cell.d) + bytes[3]);
  t.join();
  use(cell.a + cell.c + bytes[2]);
}
