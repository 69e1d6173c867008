// Elements of one eight-byte cell, accessed at different times by one thread: the older access races, the latest one is
// of a neighbour. It is a write in the first two runs, a read in the others; in every second one the thread has taken
// the cell over from another one.
// RUN: 0
// RUN: 1
// RUN: 2
// RUN: 3
// EXPECT: race A B
#include <cstdint>
#include <mutex>
#include <thread>
#include "invisible.h"

struct alignas(8) Cell {
  uint16_t a, b, c, d;
};

static Cell cell;
static std::mutex lock;

int main(int, char** arguments) {
  const int run = arguments[1][0] - '0';
  if (run % 2 != 0) cell = {1, 2, 3, 4};  // which both threads know
  std::thread first([reads = run >= 2] {
    use(reads ? cell.a : cell.a = 1);  // A
    for (uint16_t i = 0; i < 3; i++) {
      {
        const std::lock_guard guard(lock);
      }
      cell.b = i;
      use(cell.c);
    }
    reach(1);
    await(2);
  });
  std::thread second([] {
    await(1);
    cell.a = 3;  // B
    reach(2);
  });
  first.join();
  second.join();
}
