// RECIPE, Figure 3. Which object is read depends on a pointer that was read: the base keeps its address.
#include <thread>

#include "order.hpp"

struct Object {
  int f;
};
Object first_object, second_object;
Object* y;
int seen;
void first() {
  y = &first_object;
  y = &second_object;
  second_object.f = 5;  // race in ca
  reach(1);
}
void second() {
  await(1);
  Object* const z = y;
  seen = z->f;  // race in ca
}
int main() {
  std::thread one(first), two(second);
  one.join();
  two.join();
}
