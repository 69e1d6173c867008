// The program itself defines suppressions for its races.
// EXPECT: race A B
#include <thread>
#include "invisible.h"

extern "C" const char* __tsan_default_suppressions() {
  return "# known\nrace:^known_race$\n";
}

int known, unknown;

extern "C" __attribute__((noinline)) void known_race(int value) {
  known = value;
}

int main() {
  std::thread t([] {
    known_race(1);
    unknown = 1;  // A
    reach(1);
  });
  await(1);
  known_race(2);
  unknown = 2;  // B
  t.join();
}
