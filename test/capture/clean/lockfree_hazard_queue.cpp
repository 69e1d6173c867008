// The queue of Michael and Scott, with hazard pointers.
// EXPECT: none
// OUTPUT: 3000
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

struct Node {
  int value = 0;
  std::atomic<Node*> next{nullptr};
};
static std::atomic<Node*> head, tail;
static std::atomic<Node*> hazards[4][2];
static std::atomic<int> taken;

static Node* protect(int self, int which, std::atomic<Node*>& from) {
  for (;;) {
    Node* const node = from.load();
    hazards[self][which].store(node);
    if (from.load() == node) return node;
  }
}
static void put(int self, int value) {
  Node* const node = new Node;
  node->value = value;
  for (;;) {
    Node* last = protect(self, 0, tail);
    Node* next = last->next.load();
    if (next != nullptr) {
      tail.compare_exchange_strong(last, next);
    } else if (last->next.compare_exchange_strong(next, node)) {
      tail.compare_exchange_strong(last, node);
      break;
    }
  }
  hazards[self][0].store(nullptr);
}
static bool get(int self, int& value, std::vector<Node*>& retired) {
  for (;;) {
    Node* first = protect(self, 0, head);
    Node* const next = protect(self, 1, first->next);
    if (head.load() != first) continue;
    if (next == nullptr) return false;
    Node* last = tail.load();
    if (first == last) {
      tail.compare_exchange_strong(last, next);
      continue;
    }
    const int read = next->value;
    if (head.compare_exchange_strong(first, next)) {
      value = read;
      retired.push_back(first);
      hazards[self][0].store(nullptr);
      hazards[self][1].store(nullptr);
      return true;
    }
  }
}
static void reclaim(std::vector<Node*>& retired) {
  std::vector<Node*> kept;
  for (Node* node : retired) {
    bool used = false;
    for (auto& pair : hazards)
      for (auto& hazard : pair) used |= hazard.load() == node;
    if (used)
      kept.push_back(node);
    else
      delete node;
  }
  retired.swap(kept);
}
int main() {
  head = tail = new Node;
  std::vector<std::thread> threads;
  for (int self = 0; self < 4; ++self) {
    threads.emplace_back([self] {
      std::vector<Node*> retired;
      if (self < 2) {
        for (int i = 0; i < 1500; ++i) put(self, i);
      } else {
        for (int value; taken < 3000;) {
          if (get(self, value, retired)) ++taken;
          if (retired.size() > 64) reclaim(retired);
        }
      }
      for (int i = 0; i < 2; ++i) hazards[self][i].store(nullptr);
      while (!retired.empty()) {
        reclaim(retired);
        std::this_thread::yield();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  delete head.load();
  std::printf("%d\n", taken.load());
}
