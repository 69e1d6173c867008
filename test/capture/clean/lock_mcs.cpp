// The queue lock of Mellor-Crummey and Scott, with nodes on the waiters' stacks.
// EXPECT: none
// OUTPUT: 1500
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

struct Node {
  std::atomic<Node*> next{nullptr};
  std::atomic<bool> waits{true};
};
static std::atomic<Node*> tail;
static long counter;

static void lock(Node& node) {
  Node* const before = tail.exchange(&node, std::memory_order_acq_rel);
  if (before == nullptr) return;
  before->next.store(&node, std::memory_order_release);
  while (node.waits.load(std::memory_order_acquire)) std::this_thread::yield();
}
static void unlock(Node& node) {
  Node* next = node.next.load(std::memory_order_acquire);
  if (next == nullptr) {
    Node* self = &node;
    if (tail.compare_exchange_strong(self, nullptr, std::memory_order_acq_rel)) return;
    while ((next = node.next.load(std::memory_order_acquire)) == nullptr) std::this_thread::yield();
  }
  next->waits.store(false, std::memory_order_release);
}
int main() {
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 500; ++i) {
        Node node;
        lock(node);
        ++counter;
        unlock(node);
      }
    });
  for (auto& thread : threads) thread.join();
  std::printf("%ld\n", counter);
}
