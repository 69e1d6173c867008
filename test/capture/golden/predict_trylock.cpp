// The second section begins with a try_lock that succeeds.
// EXPECT: race A B predicted
#include <mutex>
#include <thread>
#include "invisible.h"

static std::timed_mutex m;
int x;

int main() {
  std::thread first([] {
    x = 1;  // A
    m.lock();
    m.unlock();
    reach(1);
  });
  await(1);
  if (m.try_lock()) m.unlock();
  x = 2;  // B
  first.join();
}
