// Two threads walk a list, locking hand over hand.
// EXPECT: none
#include <mutex>
#include <thread>

struct Node {
  std::mutex m;
  int value = 0;
  Node* next = nullptr;
};

static Node nodes[5];

static void walk() {
  for (int round = 0; round < 20; ++round) {
    std::unique_lock held(nodes[0].m);
    Node* node = &nodes[0];
    for (;;) {
      ++node->value;
      Node* next = node->next;
      if (next == nullptr) break;
      std::unique_lock following(next->m);
      held = std::move(following);
      node = next;
    }
  }
}

int main() {
  for (int i = 0; i < 4; ++i) nodes[i].next = &nodes[i + 1];
  std::thread a(walk), b(walk);
  a.join();
  b.join();
}
