// An atomic load of eight bytes, a plain write of four of them that are also loaded atomically on their own.
// EXPECT: race A B
#include <cstdint>
#include <thread>
#include "invisible.h"

alignas(8) unsigned char bytes[8];

int main() {
  use(__atomic_load_n(reinterpret_cast<uint32_t*>(bytes + 4), __ATOMIC_RELAXED));
  std::thread t([] {
    *reinterpret_cast<volatile uint32_t*>(bytes + 4) = 7;  // A
    reach(1);
  });
  await(1);
  use(static_cast<long>(__atomic_load_n(reinterpret_cast<uint64_t*>(bytes), __ATOMIC_RELAXED)));  // B
  t.join();
}
