/// \file
/// A lock-free stack without version numbers: a node that came back makes an old `next` pass for current.
// finds: assertion
// strategy: pct
#include <atomic>

#include "threads.hpp"

struct Node {
  std::atomic<int> next;
};
Node nodes[3];
std::atomic<int> head{0};  // 0 -> 1 -> 2
std::atomic<int> owners[3];

int pop() {
  int top = head;
  while (top >= 0 && !head.compare_exchange_weak(top, nodes[top].next)) {
  }
  if (top >= 0) assert(owners[top].fetch_add(1) == 0);
  return top;
}
void push(int node) {
  owners[node].fetch_sub(1);
  int top = head;
  do {
    nodes[node].next = top;
  } while (!head.compare_exchange_weak(top, node));
}
void one() {
  pop();
}
void two() {
  const int a = pop();
  pop();
  if (a >= 0) push(a);
}

int main() {
  for (int i = 0; i < 3; ++i) nodes[i].next = i < 2 ? i + 1 : -1;
  run_all({one, two});
  int left = head;
  if (left >= 0) assert(owners[left] == 0);
}
