// thread_local variables, with constructors and destructors; each thread has its own.
// EXPECT: none
// OUTPUT: 4 4
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>
#include "invisible.h"

static std::atomic<int> alive, born;

struct Cache {
  Cache() : values(10) { ++born; }
  ~Cache() {
    values[0] = -1;
    ++alive;
  }
  std::vector<int> values;
};

static thread_local Cache cache;
static thread_local int counter;

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([i] {
      for (int k = 0; k < 10; ++k) cache.values[static_cast<size_t>(k)] = i, ++counter;
      use(counter);
    });
  }
  for (auto& t : threads) t.join();
  std::printf("%d %d\n", born.load(), alive.load());
}
