// A lock-free stack: pushed by compare_exchange, taken whole by exchange.
// EXPECT: none
// OUTPUT: 9900
#include <atomic>
#include <cstdio>
#include <thread>

struct Node {
  int value;
  Node* next;
};
static std::atomic<Node*> top;

static void push_all() {
  for (int i = 0; i < 100; ++i) {
    auto* node = new Node{i, top.load(std::memory_order_relaxed)};
    while (!top.compare_exchange_weak(node->next, node, std::memory_order_release, std::memory_order_relaxed)) continue;
  }
}

int main() {
  std::thread a(push_all), b(push_all);
  int sum = 0, count = 0;
  while (count < 200) {
    Node* node = top.exchange(nullptr, std::memory_order_acquire);
    for (; node != nullptr; ++count) {
      Node* next = node->next;
      sum += node->value;
      delete node;
      node = next;
    }
    std::this_thread::yield();
  }
  a.join();
  b.join();
  std::printf("%d\n", sum);
}
