// A Treiber stack whose nodes are reclaimed by hazard pointers.
// EXPECT: none
// OUTPUT: 4000
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

struct Node {
  int value;
  Node* next;
};
static std::atomic<Node*> head;
static std::atomic<Node*> hazards[4];
static std::atomic<long> total;

static void push(int value) {
  Node* const node = new Node{value, head.load(std::memory_order_relaxed)};
  while (!head.compare_exchange_weak(node->next, node, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

static Node* pop(int self) {
  for (;;) {
    Node* node = head.load(std::memory_order_acquire);
    if (node == nullptr) return nullptr;
    hazards[self].store(node);
    if (head.load() != node) continue;
    if (head.compare_exchange_strong(node, node->next)) {
      hazards[self].store(nullptr);
      return node;
    }
  }
}

static void reclaim(std::vector<Node*>& retired) {
  std::vector<Node*> kept;
  for (Node* node : retired) {
    bool used = false;
    for (auto& hazard : hazards) used |= hazard.load() == node;
    if (used)
      kept.push_back(node);
    else
      delete node;
  }
  retired.swap(kept);
}

int main() {
  std::vector<std::thread> threads;
  for (int self = 0; self < 4; ++self) {
    threads.emplace_back([self] {
      std::vector<Node*> retired;
      for (int i = 0; i < 1000; ++i) {
        push(1);
        if (Node* const node = pop(self)) {
          total += node->value;
          retired.push_back(node);
        }
        if (retired.size() > 50) reclaim(retired);
      }
      while (!retired.empty()) {
        reclaim(retired);
        std::this_thread::yield();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  while (Node* const node = pop(0)) {
    total += node->value;
    delete node;
  }
  std::printf("%ld\n", total.load());
}
