// Construction of a local static is ordered; its later modification is not.
// EXPECT: race A B
#include <thread>
#include "invisible.h"

static int seed() {
  return 3;
}

static int& counter() {
  static int value = seed();
  return value;
}

int main() {
  std::thread t([] {
    counter() = 4;  // A
    reach(1);
  });
  await(1);
  use(counter());  // B
  t.join();
}
