// The waiter cannot go on before the notifier has set the flag, whatever the order of the sections.
// EXPECT: none
#include <condition_variable>
#include <mutex>
#include <thread>
#include "invisible.h"

static std::mutex m;
static std::condition_variable c;
static bool ready;
int x;

int main() {
  std::thread waiter([] {
    std::unique_lock lock(m);
    reach(1);
    c.wait(lock, [] { return ready; });
    lock.unlock();
    x = 2;
  });
  await(1);
  x = 1;
  {
    std::lock_guard lock(m);
    ready = true;
  }
  c.notify_one();
  waiter.join();
}
