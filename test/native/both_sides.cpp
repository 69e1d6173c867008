// A race of z that a relation predicts, and one of x on a side that the run did not take: one report has both, each
// with its schedule.
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <thread>

std::atomic<int> y{0};
std::mutex m;
int x, z, seen, unrelated;
void first() {
  z = 1;
  {
    const std::lock_guard<std::mutex> guard(m);
    unrelated = 1;
  }
  y.store(3);
  x = 1;
  y.store(5);
}
void second() {
  usleep(200'000);
  {
    const std::lock_guard<std::mutex> guard(m);
    seen = 1;
  }
  z = 2;
  if (y.load() > 2) {
    seen = 1;
  } else {
    seen = 2 + x;
  }
}
int main() {
  std::thread one(first), two(second);
  one.join();
  two.join();
}
