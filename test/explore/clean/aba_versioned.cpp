/// \file
/// The same stack with a version in the head.
#include <atomic>

#include "threads.hpp"

struct Node {
  std::atomic<int> next;
};
Node nodes[3];
std::atomic<unsigned> head{0};  // the version above the node's number + 1
std::atomic<int> owners[3];

int node_of(unsigned top) {
  return static_cast<int>(top & 0xff) - 1;
}
unsigned with(unsigned old, int node) {
  return ((old & ~0xffU) + 0x100) | static_cast<unsigned>(node + 1);
}

int pop() {
  unsigned top = head;
  while (node_of(top) >= 0 && !head.compare_exchange_weak(top, with(top, nodes[node_of(top)].next))) {
  }
  if (node_of(top) >= 0) assert(owners[node_of(top)].fetch_add(1) == 0);
  return node_of(top);
}
void push(int node) {
  owners[node].fetch_sub(1);
  unsigned top = head;
  do {
    nodes[node].next = node_of(top);
  } while (!head.compare_exchange_weak(top, with(top, node)));
}
void one() {
  pop();
}
void two() {
  const int a = pop();
  pop();
  if (a >= 0) push(a);
  pop();
}

int main() {
  for (int i = 0; i < 3; ++i) nodes[i].next = i < 2 ? i + 1 : -1;
  head = 1;
  run_all({one, two});
}
