// A barrier orders one pair; the pair after it is ordered by a lock only.
// EXPECT: race A B predicted
#include <barrier>
#include <mutex>
#include <thread>
#include "invisible.h"

static std::mutex m;
static std::barrier<> meet(2);
int x, y;

int main() {
  std::thread first([] {
    y = 1;
    meet.arrive_and_wait();
    x = 1;  // A
    m.lock();
    m.unlock();
    reach(1);
  });
  std::thread second([] {
    meet.arrive_and_wait();
    use(y);
    await(1);
    m.lock();
    m.unlock();
    x = 2;  // B
  });
  first.join();
  second.join();
}
