// A thread that did not go through call_once reads the value that the once routine wrote.
// EXPECT: race A B
#include <mutex>
#include <thread>
#include "invisible.h"

static std::once_flag flag;
static int value;

int main() {
  std::thread t([] {
    std::call_once(flag, [] {
      value = 5;  // A
    });
    reach(1);
  });
  await(1);
  use(value);  // B
  t.join();
}
