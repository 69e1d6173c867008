// One release fence serves several later relaxed stores; one acquire fence several earlier loads.
// PEER: reports fences are nothing to it
// EXPECT: none
// OUTPUT: 3
#include <atomic>
#include <cstdio>
#include <thread>

int x, y;
static std::atomic<int> f, g;

int main() {
  std::thread t([] {
    x = 1;
    y = 2;
    std::atomic_thread_fence(std::memory_order_release);
    f.store(1, std::memory_order_relaxed);
    g.store(1, std::memory_order_relaxed);
  });
  while (g.load(std::memory_order_relaxed) == 0 || f.load(std::memory_order_relaxed) == 0) std::this_thread::yield();
  std::atomic_thread_fence(std::memory_order_acquire);
  std::printf("%d\n", x + y);
  t.join();
}
