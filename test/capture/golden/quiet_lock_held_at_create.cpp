// The lock is taken, and `shared` read under it, before any other thread exists. A write of `shared` under the lock
// later comes after all that the section did, also after the other thread was created.
// EXPECT: none
#include <mutex>
#include <thread>
#include "invisible.h"

static std::mutex m;
int shared, later;

int main() {
  m.lock();
  use(shared);
  std::thread other([] {
    await(1);
    m.lock();
    shared = 1;
    m.unlock();
    use(later);
  });
  later = 1;
  m.unlock();
  reach(1);
  other.join();
}
