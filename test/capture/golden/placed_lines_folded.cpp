// Two functions that set members on lines of their own, linked so that code which is alike becomes one.
// BUILD: -O2 -ffunction-sections -fuse-ld=gold -Wl,--icf=all
// EXPECT: race A B
// EXPECT: race C D
#include <thread>

#include "invisible.h"

struct Point {
  long x, y;
};
Point one;
Point other;

__attribute__((noinline)) static void set_one(long to) {
  one.x = to;
  one.y = to + 1;  // A
}

__attribute__((noinline)) static void set_other(long to) {
  other.x = to ^ 3;
  other.y = to * 7;  // C
}

int main(int count, char**) {
  std::thread first([count] {
    set_one(count);
    set_other(count);
    reach(1);
  });
  std::thread second([] {
    await(1);
    use(static_cast<int>(one.y));    // B
    use(static_cast<int>(other.y));  // D
  });
  first.join();
  second.join();
}
