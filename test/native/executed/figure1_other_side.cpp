// RECIPE, Figure 1, with an atomic y: the race on the side of the branch that the run did not take.
#include <unistd.h>

#include <atomic>
#include <thread>

std::atomic<int> y{0};
int x, seen;
void first() {
  y.store(3);
  x = 1;  // race by paths
  y.store(5);
}
void second() {
  usleep(200'000);
  if (y.load() > 2) {
    seen = 1;
  } else {
    seen = 2 + x;  // race by paths
  }
}
int main() {
  std::thread one(first), two(second);
  one.join();
  two.join();
}
