// shared_mutex and shared_timed_mutex, with shared_lock and unique_lock.
// PEER: reports it does not know the clock variants that the timed locks use
// EXPECT: none
// OUTPUT: 100 50
#include <chrono>
#include <cstdio>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>
#include "invisible.h"

static std::shared_mutex m;
static std::shared_timed_mutex timed;
int x, y;

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([] {
      for (int k = 0; k < 50; ++k) {
        std::unique_lock lock(m);
        ++x;
      }
    });
    threads.emplace_back([] {
      for (int k = 0; k < 50; ++k) {
        std::shared_lock lock(m);
        use(x);
        if (std::shared_lock other(timed, std::chrono::seconds(30)); other) use(y);
      }
    });
  }
  threads.emplace_back([] {
    for (int k = 0; k < 50; ++k) {
      if (std::unique_lock lock(timed, std::chrono::seconds(30)); lock) ++y;
    }
  });
  for (auto& t : threads) t.join();
  std::printf("%d %d\n", x, y);
}
