// Members that one line accesses together: the race is one of them with another thread's line.
// BUILD: -O2
// EXPECT: race A B
#include <thread>

#include "invisible.h"

struct Point {
  int x, y, z;
};
Point point;

static void set(Point* p) {
  p->x = 1, p->y = 2, p->z = 3;  // A
}

static int middle(const Point* p) {
  return p->y;  // B
}

int main() {
  std::thread first([] {
    set(&point);
    reach(1);
  });
  std::thread second([] {
    await(1);
    use(middle(&point));
  });
  first.join();
  second.join();
}
