// The queue lock of Craig, Landin and Hagersten: a thread reuses the node of its predecessor.
// EXPECT: none
// OUTPUT: 1500
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

struct alignas(64) Node {
  std::atomic<bool> locked{false};
};
static std::atomic<Node*> tail{new Node};
static long counter;

int main() {
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([] {
      Node* mine = new Node;
      for (int i = 0; i < 500; ++i) {
        mine->locked.store(true, std::memory_order_relaxed);
        Node* const before = tail.exchange(mine, std::memory_order_acq_rel);
        while (before->locked.load(std::memory_order_acquire)) std::this_thread::yield();
        ++counter;
        mine->locked.store(false, std::memory_order_release);
        mine = before;
      }
      delete mine;
    });
  for (auto& thread : threads) thread.join();
  delete tail.load();
  std::printf("%ld\n", counter);
}
