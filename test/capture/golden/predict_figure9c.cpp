// Figure 9c of the Vindicator paper. No race, though the constraints have no cycle: needs an exact search.
// EXPECT: none
// ONLINE: reports A B weak-does-not-commute predicts it; only the search for a witness shows that there is none
#include <cstdlib>
#include <mutex>
#include <thread>
#include "invisible.h"

/// A lock, and a counter that every section of sync() reads and writes. It decides: any other count read would
/// end.
struct Counted {
  std::mutex m;
  int count = 0;
};

static void sync(Counted& c) {
  std::lock_guard lock(c.m);
  if (++c.count < 0) std::abort();
}

static Counted s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14;
static std::mutex m, o, p;
int x;

int main() {
  std::thread t1([] {
    await_turn(0);
    o.lock();
    sync(s1);
    end_turn(0);
    await_turn(9);
    sync(s11);
    sync(s12);
    sync(s13);
    sync(s14);
    x = 1;  // A
    o.unlock();
    end_turn(9);
  });
  std::thread t2([] {
    await_turn(1);
    m.lock();
    sync(s2);
    sync(s3);
    end_turn(1);
    await_turn(3);
    sync(s1);
    sync(s5);
    m.unlock();
    sync(s11);
    end_turn(3);
  });
  std::thread t3([] {
    await_turn(2);
    p.lock();
    sync(s4);
    sync(s5);
    end_turn(2);
    await_turn(5);
    sync(s2);
    sync(s6);
    p.unlock();
    sync(s12);
    end_turn(5);
  });
  std::thread t4([] {
    await_turn(4);
    m.lock();
    sync(s6);
    sync(s7);
    end_turn(4);
    await_turn(7);
    sync(s9);
    sync(s4);
    m.unlock();
    sync(s13);
    end_turn(7);
  });
  std::thread t5([] {
    await_turn(6);
    p.lock();
    sync(s8);
    sync(s9);
    end_turn(6);
    await_turn(8);
    sync(s7);
    sync(s3);
    p.unlock();
    sync(s14);
    end_turn(8);
  });
  std::thread t6([] {
    await_turn(10);
    o.lock();
    sync(s10);
    sync(s8);
    o.unlock();
    end_turn(10);
  });
  std::thread t7([] {
    await_turn(11);
    sync(s10);
    use(x);  // B
    end_turn(11);
  });
  t1.join();
  t2.join();
  t3.join();
  t4.join();
  t5.join();
  t6.join();
  t7.join();
}
