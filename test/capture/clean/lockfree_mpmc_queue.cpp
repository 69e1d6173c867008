// A bounded queue for many producers and consumers: the sequence number of a cell decides which thread may use it.
// EXPECT: none
// OUTPUT: 3998000
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

struct Cell {
  std::atomic<unsigned> sequence;
  long value;
};
static Cell cells[64];
static std::atomic<unsigned> put_at, get_at;
static std::atomic<long> total;

static bool put(long value) {
  unsigned at = put_at.load(std::memory_order_relaxed);
  for (;;) {
    Cell& cell = cells[at % 64];
    const int ahead = static_cast<int>(cell.sequence.load(std::memory_order_acquire) - at);
    if (ahead < 0) return false;
    if (ahead == 0 && put_at.compare_exchange_weak(at, at + 1, std::memory_order_relaxed)) {
      cell.value = value;
      cell.sequence.store(at + 1, std::memory_order_release);
      return true;
    }
    if (ahead > 0) at = put_at.load(std::memory_order_relaxed);
  }
}
static bool get(long& value) {
  unsigned at = get_at.load(std::memory_order_relaxed);
  for (;;) {
    Cell& cell = cells[at % 64];
    const int ahead = static_cast<int>(cell.sequence.load(std::memory_order_acquire) - (at + 1));
    if (ahead < 0) return false;
    if (ahead == 0 && get_at.compare_exchange_weak(at, at + 1, std::memory_order_relaxed)) {
      value = cell.value;
      cell.sequence.store(at + 64, std::memory_order_release);
      return true;
    }
    if (ahead > 0) at = get_at.load(std::memory_order_relaxed);
  }
}
int main() {
  for (unsigned i = 0; i < 64; ++i) cells[i].sequence.store(i, std::memory_order_relaxed);
  std::atomic<int> left{4000};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([] {
      for (long i = 0; i < 2000; ++i)
        while (!put(i)) std::this_thread::yield();
    });
    threads.emplace_back([&left] {
      while (left.load() > 0) {
        long value = 0;
        if (get(value)) {
          total += value;
          --left;
        } else {
          std::this_thread::yield();
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  std::printf("%ld\n", total.load());
}
