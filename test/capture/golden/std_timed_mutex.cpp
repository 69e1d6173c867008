// timed_mutex and recursive_timed_mutex: try_lock_for, try_lock_until.
// PEER: gcc reports it does not know pthread_mutex_clocklock
// EXPECT: none
// OUTPUT: 400
#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>

static std::timed_mutex m;
static std::recursive_timed_mutex r;
static int counter;

static void work() {
  using namespace std::chrono;
  for (int i = 0; i < 100; ++i) {
    if (m.try_lock_for(seconds(30))) {
      ++counter;
      m.unlock();
    }
    if (r.try_lock_until(steady_clock::now() + seconds(30))) {
      r.lock();
      if (m.try_lock_until(system_clock::now() + seconds(30))) {
        ++counter;
        m.unlock();
      }
      r.unlock();
      r.unlock();
    }
  }
}

int main() {
  std::thread a(work), b(work);
  a.join();
  b.join();
  std::printf("%d\n", counter);
}
