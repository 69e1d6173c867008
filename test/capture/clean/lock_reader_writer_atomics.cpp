// A reader/writer lock of one word: readers count up, a writer waits for zero.
// EXPECT: none
// OUTPUT: 0 torn
#include <atomic>
#include <cstdio>
#include <thread>

static std::atomic<int> word{0};  // -1: a writer
static long left, right;

static void lock_shared() {
  for (;;) {
    int seen = word.load(std::memory_order_relaxed);
    if (seen >= 0 && word.compare_exchange_weak(seen, seen + 1, std::memory_order_acquire)) return;
    std::this_thread::yield();
  }
}
static void unlock_shared() {
  word.fetch_sub(1, std::memory_order_release);
}
static void lock() {
  for (int free = 0; !word.compare_exchange_weak(free, -1, std::memory_order_acquire); free = 0)
    std::this_thread::yield();
}
static void unlock() {
  word.store(0, std::memory_order_release);
}
int main() {
  std::atomic<int> torn{0};
  auto reader = [&torn] {
    for (int i = 0; i < 500; ++i) {
      lock_shared();
      torn += left != right;
      unlock_shared();
    }
  };
  std::thread a(reader), b(reader), c([] {
    for (int i = 0; i < 200; ++i) {
      lock();
      ++left;
      ++right;
      unlock();
    }
  });
  a.join();
  b.join();
  c.join();
  std::printf("%d torn\n", torn.load());
}
