// An atomic is freed and its memory becomes another one: the new one reads nothing from the old one's release.
// EXPECT: race A B
#include <malloc.h>

#include <atomic>
#include <thread>
#include "invisible.h"

struct Big {
  std::atomic<int> flag{0};
  char rest[4000];  // too large for the caches that threads have of their own
};

int x;

int main() {
  mallopt(M_ARENA_MAX, 1);
  std::thread first([] {
    auto* big = new Big;
    x = 1;  // A
    big->flag.store(1, std::memory_order_release);
    delete big;
    reach(1);
  });
  std::thread second([] {
    await(1);
    auto* big = new Big;
    use(big->flag.load(std::memory_order_acquire));
    x = 2;  // B
    delete big;
  });
  first.join();
  second.join();
}
