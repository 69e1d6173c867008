// An acquire of one atomic does not acquire from a release of its neighbour in the same cell.
// EXPECT: race A B
#include <atomic>
#include <thread>
#include "invisible.h"

struct alignas(8) Cell {
  std::atomic<int> a, b;
};
static Cell cell;
int data;

int main() {
  std::thread t([] {
    data = 1;  // A
    cell.a.store(1, std::memory_order_release);
    reach(1);
  });
  await(1);
  use(cell.b.load(std::memory_order_acquire));
  use(data);  // B
  t.join();
}
