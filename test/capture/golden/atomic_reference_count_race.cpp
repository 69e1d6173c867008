// The same count, relaxed: the delete is not ordered after the other owner's use.
// ALLOW: race B C the count itself is given back too
// PEER: clang misses one report for one block is enough for it
// EXPECT: race A B
#include <atomic>
#include <thread>
#include "invisible.h"

struct Shared {
  std::atomic<int> count{2};
  long value = 0;
};

int main() {
  auto* shared = new Shared;
  std::thread t([=] {
    shared->value = 1;                                      // A
    shared->count.fetch_sub(1, std::memory_order_relaxed);  // C
    reach(1);
  });
  await(1);
  if (shared->count.fetch_sub(1, std::memory_order_relaxed) == 1) delete shared;  // B
  t.join();
}
