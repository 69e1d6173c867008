// atomic::wait and notify.
// EXPECT: none
// OUTPUT: 6
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>
#include "invisible.h"

static std::atomic<int> flag, done;
static int data;

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([] {
      flag.wait(0, std::memory_order_acquire);
      use(data);
      done.fetch_add(data, std::memory_order_release);
      done.notify_one();
    });
  }
  data = 2;
  flag.store(1, std::memory_order_release);
  flag.notify_all();
  for (int seen = 0; seen != 6; seen = done.load(std::memory_order_acquire)) done.wait(seen);
  std::printf("%d\n", done.load());
  for (auto& t : threads) t.join();
}
