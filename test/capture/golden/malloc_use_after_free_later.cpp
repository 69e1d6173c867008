// The use comes after the free, unordered: reported though the memory is unallocated at the time.
// EXPECT: race A B
#include <thread>
#include "invisible.h"

struct Item {
  int value[4];
};

int main() {
  auto* item = new Item{{1, 2, 3, 4}};
  std::thread t([item] {
    await(1);
    use(item->value[2]);  // B
    reach(2);
  });
  delete item;  // A
  reach(1);
  await(2);
  t.join();
}
