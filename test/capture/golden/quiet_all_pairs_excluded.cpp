// Two places meet twelve times, and each time the read is executed only because of the value read before it. No race.
// EXPECT: none
// ONLINE: reports A B weak-does-not-commute predicts it; only the search for a witness shows that there is none
#include <atomic>
#include <mutex>
#include <thread>
#include "invisible.h"

constexpr int kPairs = 12;
static std::mutex m;
static std::atomic<int> ready[kPairs];
int slot[kPairs];
int seen;

__attribute__((noinline)) static void put(int i) {
  slot[i] = i;  // A
}
__attribute__((noinline)) static int get(int i) {
  return slot[i];  // B
}

int main() {
  std::thread first([] {
    for (int i = 0; i < kPairs; i++) {
      put(i);
      ready[i].store(1, std::memory_order_relaxed);
      std::lock_guard guard(m);
    }
    reach(1);
  });
  std::thread second([] {
    await(1);
    for (int i = 0; i < kPairs; i++) {
      {
        std::lock_guard guard(m);
      }
      if (ready[i].load(std::memory_order_relaxed) == 1) seen = get(i);
    }
  });
  first.join();
  second.join();
}
