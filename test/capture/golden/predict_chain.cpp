// Order travels through an uninvolved thread, by two unrelated mutexes.
// EXPECT: race A B predicted
#include <mutex>
#include <thread>
#include "invisible.h"

static std::mutex m, n;
int x;

int main() {
  std::thread first([] {
    x = 1;  // A
    m.lock();
    m.unlock();
    reach(1);
  });
  std::thread middle([] {
    await(1);
    m.lock();
    m.unlock();
    n.lock();
    n.unlock();
    reach(2);
  });
  std::thread last([] {
    await(2);
    n.lock();
    n.unlock();
    use(x);  // B
  });
  first.join();
  middle.join();
  last.join();
}
