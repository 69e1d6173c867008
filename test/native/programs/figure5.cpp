// RECIPE, Figure 5, after its description. The consumer's branch goes the same way without the producer's store, so the
// read behind it races with the store too.
#include <thread>

#include "order.hpp"

int items = 1;
int taken;
void producer() {
  items = items + 1;  // race in relax
  reach(1);
}
void consumer() {
  await(1);
  if (items > 0) {
    taken = items;  // race in relax
  }
}
int main() {
  std::thread one(producer), two(consumer);
  one.join();
  two.join();
}
