// One thread publishes new versions of a table through std::atomic<std::shared_ptr>, others read the one they find.
// EXPECT: none
// OUTPUT: consistent
#include <atomic>
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

struct Table {
  int version = 0;
  std::vector<int> values;
};

int main() {
  std::atomic<std::shared_ptr<const Table>> current(std::make_shared<const Table>());
  std::atomic<bool> torn{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 200; ++k) {
        const auto table = current.load();
        for (const int value : table->values) {
          if (value != table->version) torn = true;
        }
      }
    });
  }
  threads.emplace_back([&] {
    for (int version = 1; version <= 100; ++version) {
      auto next = std::make_shared<Table>();
      next->version = version;
      next->values.assign(10, version);
      current.store(std::move(next));
    }
  });
  for (auto& thread : threads) thread.join();
  std::puts(torn ? "torn" : "consistent");
}
