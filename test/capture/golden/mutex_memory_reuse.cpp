// A mutex is freed and its memory becomes another mutex: the two have nothing in common.
// EXPECT: race A B
#include <malloc.h>

#include <mutex>
#include <thread>
#include "invisible.h"

struct Big {
  std::mutex m;
  char rest[4000];  // too large for the caches that threads have of their own
};

int x;

int main() {
  mallopt(M_ARENA_MAX, 1);
  std::thread first([] {
    auto* big = new Big;
    big->m.lock();
    x = 1;  // A
    big->m.unlock();
    delete big;
    reach(1);
  });
  std::thread second([] {
    await(1);
    auto* big = new Big;
    big->m.lock();
    x = 2;  // B
    big->m.unlock();
    delete big;
  });
  first.join();
  second.join();
}
