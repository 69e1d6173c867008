// Memory is reclaimed by epochs: a node is deleted when no reader can be in an epoch that saw it.
// EXPECT: none
// OUTPUT: sum is even
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

struct Pair {
  long a, b;
};
static std::atomic<Pair*> current{new Pair{1, 1}};
static std::atomic<unsigned> epoch{1};
static std::atomic<unsigned> readers[2];  // 0: not reading

int main() {
  std::atomic<long> sum{0};
  std::vector<std::thread> threads;
  for (int self = 0; self < 2; ++self) {
    threads.emplace_back([self, &sum] {
      for (int i = 0; i < 1000; ++i) {
        readers[self].store(epoch.load());
        const Pair* const pair = current.load();
        sum += pair->a + pair->b;
        readers[self].store(0);
      }
    });
  }
  for (long i = 0; i < 300; ++i) {
    Pair* const old = current.exchange(new Pair{i, i});
    const unsigned now = ++epoch;
    for (auto& reader : readers)
      for (unsigned seen; (seen = reader.load()) != 0 && seen < now;) std::this_thread::yield();
    delete old;
  }
  for (auto& thread : threads) thread.join();
  delete current.load();
  std::puts(sum % 2 == 0 ? "sum is even" : "sum is odd");
}
