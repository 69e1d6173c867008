// The loop variable is captured by reference: the classic mistake.
// EXPECT: race A B
#include <thread>
#include "invisible.h"

int main() {
  int i = 0;
  std::thread t([&i] {
    await(1);
    use(i);  // A
  });
  ++i;  // B
  reach(1);
  t.join();
}
