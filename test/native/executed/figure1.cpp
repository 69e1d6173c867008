// RECIPE, Figure 1, with an atomic y: happens-before orders the accesses of x. The branch goes the same way whether y
// is 3 or 5.
#include <unistd.h>

#include <atomic>
#include <thread>

std::atomic<int> y{0};
int x, seen;
void first() {
  y.store(3);
  x = 1;  // race by relax
  y.store(5);
}
void second() {
  usleep(200'000);
  if (y.load() > 2) {
    seen = 1 + x;  // race by relax
  } else {
    seen = 2 + x;
  }
}
int main() {
  std::thread one(first), two(second);
  one.join();
  two.join();
}
