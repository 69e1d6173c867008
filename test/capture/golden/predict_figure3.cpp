// Figure 3 of the Vindicator paper. The witness reverses two pairs of sections.
// EXPECT: race A B predicted
#include <mutex>
#include <thread>
#include "invisible.h"

/// A lock, and a counter that every section of sync() reads and writes.
struct Counted {
  std::mutex m;
  int count = 0;
};

static void sync(Counted& c) {
  std::lock_guard lock(c.m);
  ++c.count;
}

static Counted p, q, r, v;
static std::mutex l, m, n;
int x;

int main() {
  std::thread t1([] {
    await_turn(0);
    m.lock();
    sync(r);
    end_turn(0);
    await_turn(2);
    sync(r);
    x = 1;  // A
    m.unlock();
    end_turn(2);
  });
  std::thread t2([] {
    await_turn(1);
    l.lock();
    sync(v);
    n.lock();
    sync(r);
    n.unlock();
    l.unlock();
    end_turn(1);
  });
  std::thread t3([] {
    await_turn(3);
    n.lock();
    sync(q);
    sync(v);
    n.unlock();
    end_turn(3);
  });
  std::thread t4([] {
    await_turn(4);
    m.lock();
    sync(p);
    sync(q);
    m.unlock();
    end_turn(4);
  });
  std::thread t5([] {
    await_turn(5);
    l.lock();
    sync(p);
    l.unlock();
    use(x);  // B
    end_turn(5);
  });
  t1.join();
  t2.join();
  t3.join();
  t4.join();
  t5.join();
}
