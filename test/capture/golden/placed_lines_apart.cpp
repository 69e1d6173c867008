// Members that are set on lines of their own, as one check, and between them one that belongs to another thread.
// BUILD: -O2
// EXPECT: none
#include <thread>

#include "invisible.h"

struct Point {
  long x;
  int y, z;
  long last;
};
Point point;

static void set(Point* p, int to) {
  p->x = to;
  p->z = p->last != 3;
  p->last = to;
}

static void set_middle(Point* p) {
  p->y = 2;
}

int main(int count, char**) {
  std::thread first([count] {
    set(&point, count);
    reach(1);
  });
  std::thread second([] {
    await(1);
    set_middle(&point);
  });
  first.join();
  second.join();
}
