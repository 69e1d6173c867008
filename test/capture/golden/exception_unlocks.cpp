// A guard unlocks while an exception passes.
// EXPECT: none
// OUTPUT: 200
#include <cstdio>
#include <mutex>
#include <thread>

static std::mutex m;
int x;

static void add() {
  std::lock_guard lock(m);
  ++x;
  throw x;
}

int main() {
  auto work = [] {
    for (int i = 0; i < 100; ++i) {
      try {
        add();
      } catch (int) {
      }
    }
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
  std::printf("%d\n", x);
}
