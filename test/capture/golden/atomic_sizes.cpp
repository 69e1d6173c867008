// Atomics of one, two, four and eight bytes, side by side in one cell; each passes a message.
// EXPECT: none
// OUTPUT: 15
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <thread>

struct alignas(8) Cell {
  std::atomic<uint8_t> a, b;
  std::atomic<uint16_t> c;
  std::atomic<uint32_t> d;
};
static Cell cell;
static std::atomic<uint64_t> e;
static int data[5];

template <class T>
static void give(std::atomic<T>& flag, int i) {
  data[i] = i + 1;
  flag.store(1, std::memory_order_release);
}

template <class T>
static int take(std::atomic<T>& flag, int i) {
  while (flag.load(std::memory_order_acquire) == 0) std::this_thread::yield();
  return data[i];
}

int main() {
  std::thread t([] {
    give(cell.a, 0);
    give(cell.b, 1);
    give(cell.c, 2);
    give(cell.d, 3);
    give(e, 4);
  });
  std::printf("%d\n", take(cell.a, 0) + take(cell.b, 1) + take(cell.c, 2) + take(cell.d, 3) + take(e, 4));
  t.join();
}
