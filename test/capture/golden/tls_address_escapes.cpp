// A thread-local variable of one thread is written by another.
// PEER: skip it reports the initialisation of the thread-local memory instead
// EXPECT: race A B
#include <atomic>
#include <thread>
#include "invisible.h"

static thread_local int mine;
static std::atomic<int*> escaped;

int main() {
  std::thread t([] {
    mine = 1;  // A
    escaped.store(&mine, std::memory_order_relaxed);
    reach(1);
    await(2);
  });
  await(1);
  int* const p = escaped.load(std::memory_order_relaxed);
  *p = 2;  // B
  reach(2);
  t.join();
}
