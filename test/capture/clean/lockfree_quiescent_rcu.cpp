// Read-copy-update with quiescent states: readers announce that they hold nothing; the writer waits for all of them.
// EXPECT: none
// OUTPUT: 0 torn
#include <atomic>
#include <cstdio>
#include <thread>

struct Config {
  int version;
  int twice;
};
static std::atomic<Config*> config{new Config{0, 0}};
static std::atomic<unsigned> quiescent[2];
static std::atomic<bool> finished[2];

int main() {
  std::atomic<int> torn{0};
  auto reader = [&torn](int self) {
    for (int round = 0; round < 400; ++round) {
      for (int i = 0; i < 5; ++i) {
        const Config* const seen = config.load(std::memory_order_acquire);
        if (seen->twice != 2 * seen->version) ++torn;
      }
      quiescent[self].fetch_add(1, std::memory_order_acq_rel);
    }
    finished[self].store(true, std::memory_order_release);
  };
  std::thread a(reader, 0), b(reader, 1);
  for (int version = 1; version <= 50; ++version) {
    Config* const old = config.exchange(new Config{version, 2 * version}, std::memory_order_acq_rel);
    for (int self = 0; self < 2; ++self) {
      const unsigned before = quiescent[self].load(std::memory_order_acquire);
      while (quiescent[self].load(std::memory_order_acquire) == before &&
             !finished[self].load(std::memory_order_acquire)) {
        std::this_thread::yield();
      }
    }
    delete old;
  }
  a.join();
  b.join();
  delete config.load();
  std::printf("%d torn\n", torn.load());
}
