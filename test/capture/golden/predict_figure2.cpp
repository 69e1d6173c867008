// Figure 2 of the Vindicator paper. Order through a third thread: two lock pairs in a row.
// EXPECT: race A B predicted
#include <mutex>
#include <thread>
#include "invisible.h"

static std::mutex m, o;
int x, y;

int main() {
  std::thread t1([] {
    await_turn(0);
    x = 1;  // A
    o.lock();
    y = 1;
    o.unlock();
    end_turn(0);
  });
  std::thread t2([] {
    await_turn(1);
    o.lock();
    use(y);
    o.unlock();
    m.lock();
    m.unlock();
    end_turn(1);
  });
  std::thread t3([] {
    await_turn(2);
    m.lock();
    m.unlock();
    use(x);  // B
    end_turn(2);
  });
  t1.join();
  t2.join();
  t3.join();
}
