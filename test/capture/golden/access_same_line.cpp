// Two threads run the same line.
// EXPECT: race A A
#include <thread>
#include "invisible.h"

long hits;

static void hit(int step) {
  await(step);
  hits = step + 1;  // A
  reach(step + 1);
}

int main() {
  std::thread a(hit, 0), b(hit, 1);
  a.join();
  b.join();
}
