// Double-checked locking whose second load, under the lock, is relaxed: the lock orders it.
// EXPECT: none
// ONLINE: skip WDC orders sections by variables alone, and predicts a race here that has no witness, if a thread waits
// OUTPUT: 5
#include <atomic>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>
#include "invisible.h"

static std::atomic<int*> instance;
static std::mutex m;

static int& get() {
  int* p = instance.load(std::memory_order_acquire);
  if (p == nullptr) {
    std::lock_guard lock(m);
    p = instance.load(std::memory_order_relaxed);
    if (p == nullptr) instance.store(p = new int(5), std::memory_order_release);
  }
  return *p;
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([] { use(get()); });
  for (auto& t : threads) t.join();
  std::printf("%d\n", get());
  delete instance.load();
}
