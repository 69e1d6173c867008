// A reference count: the last owner deletes what others have used. acq_rel, and release with an acquire fence.
// RUN: acq_rel
// RUN: fence
// PEER: reports fences are nothing to it
// EXPECT: none
#include <atomic>
#include <thread>
#include <vector>

struct Shared {
  std::atomic<int> count{4};
  int values[4] = {};
};

int main(int, char** arguments) {
  const bool fence = arguments[1][0] == 'f';
  auto* shared = new Shared;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([=] {
      shared->values[i] = i;
      if (fence) {
        if (shared->count.fetch_sub(1, std::memory_order_release) != 1) return;
        std::atomic_thread_fence(std::memory_order_acquire);
        delete shared;
      } else if (shared->count.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        delete shared;
      }
    });
  }
  for (auto& t : threads) t.join();
}
