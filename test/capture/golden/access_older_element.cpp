// Elements of one eight-byte cell, accessed at different times by one thread: its accesses to the older ones under the
// lock are ordered, its last ones are not; so no race. Also where another thread's accesses were before.
// EXPECT: none
#include <cstdint>
#include <mutex>
#include <thread>
#include "invisible.h"

struct alignas(8) Cell {
  uint16_t a, b, c, d;
};

static Cell cell, taken_over, read_by_first;
static std::mutex lock;

int main() {
  taken_over = {1, 2, 3, 4};
  std::thread first([] {
    {
      const std::lock_guard guard(lock);
      cell.a = 1;
      taken_over.b = 1;
      use(read_by_first.a);
    }
    cell.b = 2;
    taken_over.c = 2;
    use(read_by_first.b);
    reach(1);
    await(2);
  });
  std::thread second([] {
    await(1);
    taken_over.a = 3;
    {
      const std::lock_guard guard(lock);
      cell.a = 3;
      taken_over.b = 3;
      read_by_first.a = 3;
    }
    cell.c = 4;
    taken_over.d = 4;
    reach(2);
  });
  first.join();
  second.join();
}
