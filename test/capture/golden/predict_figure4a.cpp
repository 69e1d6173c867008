// Figure 4a of the Vindicator paper. No race: a section cannot be left half-way. The candidate has no witness.
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

static Counted n;
static std::mutex m;
int x, y;

int main() {
  std::thread t1([] {
    await_turn(0);
    m.lock();
    x = 1;  // A
    y = 1;
    m.unlock();
    end_turn(0);
  });
  std::thread t2([] {
    await_turn(1);
    m.lock();
    sync(n);
    end_turn(1);
    await_turn(3);
    sync(n);
    use(y);
    m.unlock();
    end_turn(3);
  });
  std::thread t3([] {
    await_turn(2);
    sync(n);
    use(x);  // B
    end_turn(2);
  });
  t1.join();
  t2.join();
  t3.join();
}
