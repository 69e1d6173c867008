// A node is popped under a lock: the head is read, the node that it names is written, the head is written.
// EXPECT: none
// CONFIRM: none
#include <mutex>
#include <thread>
#include "invisible.h"

struct Node {
  Node* next;
  int value;
};

static std::mutex m;
static Node node;
Node* head;

int main() {
  std::thread pushes([] {
    node.value = 1;
    std::lock_guard<std::mutex> guard(m);
    head = &node;
    reach(1);
  });
  std::thread pops([] {
    await(1);
    std::lock_guard<std::mutex> guard(m);
    Node* const first = head;
    first->value = 2;
    head = first->next;
  });
  pushes.join();
  pops.join();
}
