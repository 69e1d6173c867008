// A crash ends the program with its own signal; the race before it is reported.
// PEER: skip it turns the signal into an exit code
// EXPECT: race A B
// EXIT: signal 11
#include <thread>
#include "invisible.h"

int x;
int* volatile nothing;

int main() {
  std::thread t([] {
    x = 1;  // A
    reach(1);
  });
  await(1);
  x = 2;  // B
  t.join();
  *nothing = 1;
}
