// C++ lets try_lock fail for no reason, and this would race. It does not: the C library's fails as the mutex is taken.
// EXPECT: none
#include <mutex>
#include <thread>
#include "invisible.h"

static std::mutex m, n;
int z;

int main() {
  std::thread first([] {
    z = 1;
    {
      std::lock_guard guard(n);
    }
    m.lock();
    reach(1);
    await(2);
    m.unlock();
  });
  std::thread second([] {
    await(1);
    const bool busy = !m.try_lock();
    if (!busy) m.unlock();
    {
      std::lock_guard guard(n);
    }
    if (busy) z = 2;
    reach(2);
  });
  first.join();
  second.join();
}
