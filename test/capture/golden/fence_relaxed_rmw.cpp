// Relaxed read-modify-writes wait for what another one releases; the fence after them acquires it.
// PEER: reports fences are nothing to it
// EXPECT: none
// OUTPUT: 1
#include <atomic>
#include <cstdio>
#include <thread>

int x;
static std::atomic<int> f;

int main() {
  std::thread t([] {
    while (f.load(std::memory_order_relaxed) < 40) std::this_thread::yield();  // the other one has done it often
    x = 1;
    f.fetch_or(1, std::memory_order_release);
  });
  while ((f.fetch_add(2, std::memory_order_relaxed) & 1) == 0) std::this_thread::yield();
  std::atomic_thread_fence(std::memory_order_acquire);
  std::printf("%d\n", x);
  t.join();
}
