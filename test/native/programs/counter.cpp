// Two counters on which no branch depends: one atomic, one behind a lock. They order the accesses to x in the recorded
// run only.
#include <atomic>
#include <mutex>
#include <thread>

#include "order.hpp"

std::atomic<long> calls;
std::mutex m;
long statistics;
int x;
void count() {
  calls.fetch_add(1, std::memory_order_relaxed);
  const std::lock_guard<std::mutex> guard(m);
  ++statistics;
}
void first() {
  x = 1;  // race in control
  count();
  reach(1);
}
void second() {
  await(1);
  count();
  x = 2;  // race in control
}
int main() {
  std::thread one(first), two(second);
  one.join();
  two.join();
}
