// Two threads write the halves of what a third has loaded atomically, as a whole.
// EXPECT: none
#include <cstdint>
#include <thread>
#include "invisible.h"

alignas(8) unsigned char bytes[8];

int main() {
  use(static_cast<long>(__atomic_load_n(reinterpret_cast<uint64_t*>(bytes), __ATOMIC_RELAXED)));
  std::thread low([] {
    *reinterpret_cast<volatile uint32_t*>(bytes) = 7;
    reach(1);
  });
  std::thread high([] {
    await(1);
    *reinterpret_cast<volatile uint32_t*>(bytes + 4) = 7;
  });
  low.join();
  high.join();
}
