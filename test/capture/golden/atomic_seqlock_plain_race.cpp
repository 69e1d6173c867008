// A sequence lock with plain data: the reader's retry does not make the read legal.
// EXPECT: race A B
#include <atomic>
#include <thread>
#include "invisible.h"

static std::atomic<unsigned> sequence;
int data;

int main() {
  std::thread writer([] {
    await(1);
    sequence.store(1, std::memory_order_release);
    data = 1;  // A
    sequence.store(2, std::memory_order_release);
    reach(2);
  });
  const unsigned before = sequence.load(std::memory_order_acquire);
  const int value = data;  // B
  reach(1);
  await(2);
  use(before == sequence.load(std::memory_order_acquire) ? value : 0);
  writer.join();
}
