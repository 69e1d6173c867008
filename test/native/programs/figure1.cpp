// RECIPE, Figure 1. The race on x is behind a branch that goes the same way whether y is 3 or 5.
#include <thread>

#include "order.hpp"

int x, y;
int seen;
void first() {
  y = 3;
  x = 1;  // race in relax
  y = 5;
  reach(1);
}
void second() {
  await(1);
  if (y > 2) {
    seen = 1 + x;  // race in relax
  } else {
    seen = 2 + x;
  }
}
int main() {
  std::thread one(first), two(second);
  one.join();
  two.join();
}
