// An arena is reset between rounds that a barrier separates; blocks overlap earlier ones at other offsets.
// EXPECT: none
// OUTPUT: 20 rounds
#include <atomic>
#include <barrier>
#include <cstdio>
#include <cstring>
#include <new>
#include <thread>

alignas(16) static unsigned char arena[4096];
static std::atomic<std::size_t> used;

static void* take(std::size_t bytes) {
  return arena + used.fetch_add(bytes, std::memory_order_relaxed);
}

int main() {
  int rounds = 0;
  std::barrier sync(3, [&rounds]() noexcept {
    used.store(0, std::memory_order_relaxed);
    ++rounds;
  });
  auto work = [&sync](std::size_t size) {
    for (int i = 0; i < 20; ++i) {
      for (int k = 0; k < 8; ++k) std::memset(take(size), k, size);
      sync.arrive_and_wait();
    }
  };
  std::thread a(work, 24), b(work, 40), c(work, 56);
  a.join();
  b.join();
  c.join();
  std::printf("%d rounds\n", rounds);
}
