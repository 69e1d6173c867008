// A `new` that fails does not affect the block that is allocated later.
// EXPECT: race A B
// BLOCK: N
// PEER: skip ThreadSanitizer's allocator ends the program
#include <cstdlib>
#include <new>
#include <thread>
#include "invisible.h"

int main() {
  try {
    ::operator new(~0UL >> 2);
  } catch (const std::bad_alloc&) {
    use(1);
  }
  long* const shared = static_cast<long*>(std::malloc(sizeof(long)));  // N
  std::thread first([=] {
    *shared = 1;  // A
    reach(1);
  });
  std::thread second([=] {
    await(1);
    *shared = 2;  // B
  });
  first.join();
  second.join();
}
