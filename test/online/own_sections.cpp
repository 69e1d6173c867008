// Each element is accessed under a lock of its own, by one thread, in turn: far more sections than are remembered lie
// between two accesses to an element. A second thread is there, so that the accesses are watched.
#include <atomic>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

int main() {
  constexpr std::size_t kElements = 12000;
  std::vector<std::mutex> locks(kElements);
  std::vector<long> elements(kElements);
  std::atomic<bool> done{false};
  std::thread other([&] {
    while (!done) std::this_thread::yield();
  });
  for (int round = 0; round < 10; ++round) {
    for (std::size_t i = 0; i < kElements; ++i) {
      const std::lock_guard guard(locks[i]);
      elements[i] += round;
    }
  }
  done = true;
  other.join();
  std::printf("%ld\n", elements[0]);
}
