// RECIPE, Figure 2. What is written in the branch races only if the sum is of 3, not of the recorded 2.
#include <thread>

#include "order.hpp"

struct Object {
  int f;
};
Object s1, s2;
void first() {
  s1.f = 3;
  s2.f = 1;  // race in relax
  s1.f = 2;
  reach(1);
}
void second() {
  await(1);
  Object w;
  w.f = 10;
  const int y = s1.f;
  const int x = y + w.f;
  if (x > 11) {
    s2.f = x;  // race in relax
  }
}
int main() {
  std::thread one(first), two(second);
  one.join();
  two.join();
}
