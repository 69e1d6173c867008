// Figure 4b of the Vindicator paper. No race: sections of two locks would be reversed in a cycle.
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

static Counted o, p, q, r;
static std::mutex m, n;
int x;

int main() {
  std::thread t1([] {
    await_turn(0);
    x = 1;  // A
    m.lock();
    sync(o);
    sync(p);
    m.unlock();
    end_turn(0);
  });
  std::thread t2([] {
    await_turn(1);
    n.lock();
    sync(q);
    sync(o);
    n.unlock();
    end_turn(1);
  });
  std::thread t3([] {
    await_turn(2);
    n.lock();
    sync(r);
    sync(p);
    n.unlock();
    end_turn(2);
  });
  std::thread t4([] {
    await_turn(3);
    m.lock();
    sync(q);
    sync(r);
    m.unlock();
    use(x);  // B
    end_turn(3);
  });
  t1.join();
  t2.join();
  t3.join();
  t4.join();
}
