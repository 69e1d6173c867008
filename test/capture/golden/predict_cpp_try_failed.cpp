// C++ lets try_lock fail for no reason; here it fails because the mutex is taken, and the second write may come late.
// EXPECT: race A B predicted
#include <mutex>
#include <thread>
#include "invisible.h"

static std::mutex m, n;
int z;

int main() {
  std::thread first([] {
    m.lock();
    reach(1);
    await(2);
    m.unlock();
    {
      std::lock_guard guard(n);
    }
    z = 1;  // A
  });
  std::thread second([] {
    await(1);
    if (m.try_lock()) {
      m.unlock();
    } else {
      z = 2;  // B
    }
    {
      std::lock_guard guard(n);
    }
    reach(2);
  });
  first.join();
  second.join();
}
