// Members that an inlined function sets on lines of their own, as one check: one of them races.
// BUILD: -O2
// EXPECT: race A B
#include <thread>

#include "invisible.h"

struct Point {
  long x, y, z;

  void set(long from) {
    x = from;
    y = 2 * from;  // A
    z = x ^ 5;
  }
};
Point point;

static long middle(const Point* p) {
  return p->y;  // B
}

int main(int count, char**) {
  std::thread first([count] {
    point.set(count);
    reach(1);
  });
  std::thread second([] {
    await(1);
    use(middle(&point));
  });
  first.join();
  second.join();
}
