// Figure 8 of the Vindicator paper. The witness needs the right choice among the sections that may come first.
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

static Counted n, o, q;
static std::mutex b, m, p;
int x;

int main() {
  std::thread t1([] {
    await_turn(0);
    m.lock();
    sync(n);
    m.unlock();
    end_turn(0);
  });
  std::thread t2([] {
    await_turn(1);
    p.lock();
    sync(n);
    p.unlock();
    end_turn(1);
    await_turn(5);
    b.lock();
    b.unlock();
    use(x);  // B
    end_turn(5);
  });
  std::thread t3([] {
    await_turn(2);
    p.lock();
    sync(q);
    p.unlock();
    end_turn(2);
    await_turn(4);
    sync(o);
    b.lock();
    b.unlock();
    end_turn(4);
  });
  std::thread t4([] {
    await_turn(3);
    m.lock();
    sync(q);
    m.unlock();
    x = 1;  // A
    sync(o);
    end_turn(3);
  });
  t1.join();
  t2.join();
  t3.join();
  t4.join();
}
