// A handler runs while its thread waits at the condition variable: the mutex still orders the writes only by chance.
// EXPECT: race A B predicted
#include <pthread.h>
#include <signal.h>

#include <condition_variable>
#include <mutex>
#include <thread>
#include "invisible.h"

static std::mutex m;
static std::condition_variable c;
static bool ready;
static volatile sig_atomic_t handled;
int x;

static void handler(int) {
  handled = 1;
  reach(2);
}

int main() {
  signal(SIGUSR1, handler);
  std::thread waiter([] {
    std::unique_lock lock(m);
    reach(1);
    c.wait(lock, [] { return ready; });
  });
  await(1);
  {
    std::lock_guard lock(m);  // only once the waiter waits
    pthread_kill(waiter.native_handle(), SIGUSR1);
    await(2);
    ready = true;
  }
  c.notify_one();
  waiter.join();
  std::thread first([] {
    x = 1;  // A
    {
      std::lock_guard lock(m);
    }
    reach(3);
  });
  std::thread second([] {
    await(3);
    {
      std::lock_guard lock(m);
    }
    x = 2;  // B
  });
  first.join();
  second.join();
}
