// The second thread is created later, by a thread that only shares a lock with the first.
// EXPECT: race A B predicted
#include <mutex>
#include <thread>
#include "invisible.h"

static std::mutex m;
int x;

int main() {
  std::thread first([] {
    x = 1;  // A
    m.lock();
    m.unlock();
    reach(1);
  });
  await(1);
  m.lock();
  m.unlock();
  std::thread second([] {
    use(x);  // B
  });
  second.join();
  first.join();
}
