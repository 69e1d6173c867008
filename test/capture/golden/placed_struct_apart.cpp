// Members that one line accesses together, and between them one that belongs to another thread.
// BUILD: -O2
// EXPECT: none
#include <thread>

#include "invisible.h"

struct Point {
  int x, y, z;
};
Point point;

static void set(Point* p) {
  p->x = 1, p->z = 3;
}

static void set_middle(Point* p) {
  p->y = 2;
}

int main() {
  std::thread first([] {
    set(&point);
    reach(1);
  });
  std::thread second([] {
    await(1);
    set_middle(&point);
  });
  first.join();
  second.join();
}
