// The guard's scope ends too early.
// EXPECT: race A B
#include <mutex>
#include <thread>
#include <vector>
#include "invisible.h"

static std::mutex m;
long total;

int main() {
  std::thread t([] {
    {
      std::lock_guard lock(m);
      total = 1;  // A
    }
    reach(1);
  });
  await(1);
  std::unique_lock lock(m, std::defer_lock);
  use(total);  // B
  lock.lock();
  lock.unlock();
  t.join();
}
