// Statistics that nobody looks at order the two accesses.
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <thread>

std::atomic<long> calls{0};
int x;
std::mutex m;
long statistic;
void count() {
  calls.fetch_add(1, std::memory_order_relaxed);
  const std::lock_guard<std::mutex> guard(m);
  statistic++;
}
void first() {
  x = 1;  // race by control
  count();
}
void second() {
  usleep(200'000);
  count();
  x = 2;  // race by control
}
int main() {
  std::thread one(first), two(second);
  one.join();
  two.join();
}
