// A sorted list with a lock in every node, locked hand over hand; nodes are removed and deleted.
// EXPECT: none
// OUTPUT: 100 left
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

struct Node {
  int key;
  Node* next;
  std::mutex mutex;
};
static Node head{-1, nullptr, {}};

static void insert(int key) {
  Node* before = &head;
  before->mutex.lock();
  while (before->next != nullptr && before->next->key < key) {
    Node* const next = before->next;
    next->mutex.lock();
    before->mutex.unlock();
    before = next;
  }
  before->next = new Node{key, before->next, {}};
  before->mutex.unlock();
}
static bool remove(int key) {
  Node* before = &head;
  before->mutex.lock();
  while (before->next != nullptr) {
    Node* const next = before->next;
    next->mutex.lock();
    if (next->key == key) {
      before->next = next->next;
      next->mutex.unlock();
      before->mutex.unlock();
      delete next;
      return true;
    }
    before->mutex.unlock();
    before = next;
  }
  before->mutex.unlock();
  return false;
}
int main() {
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([t] {
      for (int i = 0; i < 100; ++i) insert(2 * i + t);
    });
  threads.emplace_back([] {
    for (int i = 0; i < 100; ++i)
      while (!remove(2 * i)) std::this_thread::yield();
  });
  for (auto& thread : threads) thread.join();
  int left = 0;
  while (head.next != nullptr) {
    Node* const node = head.next;
    head.next = node->next;
    delete node;
    ++left;
  }
  std::printf("%d left\n", left);
}
