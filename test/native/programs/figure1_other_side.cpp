// RECIPE, Figure 1: the race on the side of the branch that the run did not take.
#include <thread>

#include "order.hpp"

int x, y;
int seen;
void first() {
  y = 3;
  x = 1;  // race in paths
  y = 5;
  reach(1);
}
void second() {
  await(1);
  if (y > 2) {
    seen = 1;
  } else {
    seen = 2 + x;  // race in paths
  }
}
int main() {
  std::thread one(first), two(second);
  one.join();
  two.join();
}
