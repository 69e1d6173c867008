// The flag is set outside the mutex: a lost wake-up, and a race on the flag.
// EXPECT: race A B
#include <condition_variable>
#include <mutex>
#include <thread>
#include "invisible.h"

static std::mutex m;
static std::condition_variable c;
static int ready;

int main() {
  std::thread setter([] {
    ready = 1;  // A
    c.notify_one();
    reach(1);
  });
  await(1);
  {
    std::unique_lock lock(m);
    while (ready == 0) c.wait(lock);  // B
  }
  setter.join();
}
