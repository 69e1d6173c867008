// Loops that do not access all they pass: every other element, up to a condition, not the rest of each structure.
// BUILD: -O2
// EXPECT: none
#include <thread>

#include "invisible.h"

struct Pair {
  int mine, yours;
};
int ints[1000];
int until[1000];
Pair pairs[1000];

static void even(long n) {
  for (long i = 0; i < n; ++i) {
    if (i % 2 == 0) ints[i] = 1;
    pairs[i].mine += 2;
  }
  for (long i = 0; i < n; ++i) {
    if (i == 300) break;
    until[i] = 4;
  }
}

static void odd(long n) {
  for (long i = 0; i < n; ++i) {
    if (i % 2 == 1) ints[i] = 1;
    pairs[i].yours += 2;
  }
  for (long i = n; i-- > 300;) until[i] = 5;
}

int main() {
  std::thread first([] {
    even(1000);
    reach(1);
  });
  std::thread second([] {
    await(1);
    odd(1000);
  });
  first.join();
  second.join();
}
