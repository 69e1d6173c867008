// scoped_lock of two mutexes in both orders, std::lock, try_lock, adopt_lock and defer_lock.
// EXPECT: none
// OUTPUT: 900
#include <cstdio>
#include <mutex>
#include <thread>

static std::mutex m1, m2;
int x;

int main() {
  std::thread a([] {
    for (int i = 0; i < 300; ++i) {
      std::scoped_lock lock(m1, m2);
      ++x;
    }
  });
  std::thread b([] {
    for (int i = 0; i < 300; ++i) {
      std::lock(m2, m1);
      std::lock_guard first(m2, std::adopt_lock);
      std::lock_guard second(m1, std::adopt_lock);
      ++x;
    }
  });
  std::thread c([] {
    for (int i = 0; i < 300;) {
      std::unique_lock first(m1, std::defer_lock), second(m2, std::defer_lock);
      if (std::try_lock(first, second) == -1) {
        ++x;
        ++i;
      }
    }
  });
  a.join();
  b.join();
  c.join();
  std::printf("%d\n", x);
}
