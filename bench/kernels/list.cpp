/// \file
/// Sorted linked lists under locks: each operation walks a list inside one critical section. Hundreds of reads of
/// shared nodes in a section, few writes.
#include <array>
#include <mutex>
#include <utility>

#include "kernel.hpp"

namespace {

constexpr size_t kLists = 8;
constexpr uint64_t kKeys = 400;  // per list

struct Node {
  uint64_t key;
  Node* next;
};

class List {
 public:
  List() = default;
  ~List() {
    while (head_ != nullptr) delete std::exchange(head_, head_->next);
  }
  List(const List&) = delete;
  List& operator=(const List&) = delete;

  void insert(uint64_t key) {
    const std::lock_guard guard(lock_);
    Node** const link = find(key);
    if (*link == nullptr || (*link)->key != key) *link = new Node{key, *link};
  }
  bool remove(uint64_t key) {
    const std::lock_guard guard(lock_);
    Node** const link = find(key);
    if (*link == nullptr || (*link)->key != key) return false;
    delete std::exchange(*link, (*link)->next);
    return true;
  }
  uint64_t checksum(uint64_t sum) const {
    for (const Node* node = head_; node != nullptr; node = node->next) sum = kernel::mix(sum, node->key);
    return sum;
  }

 private:
  Node** find(uint64_t key) {
    Node** link = &head_;
    while (*link != nullptr && (*link)->key < key) link = &(*link)->next;
    return link;
  }

  mutable std::mutex lock_;
  Node* head_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  const auto [size, threads] = kernel::settings(argc, argv, 1200000);
  std::array<List, kLists> lists;
  std::vector<uint64_t> removed(threads);
  kernel::parallel(threads, [&, size = size, threads = threads](size_t id) {
    kernel::Random random(id + 5);
    uint64_t gone = 0;
    for (size_t i = 0; i < size / threads; i++) {
      List& list = lists[random.below(kLists)];
      const uint64_t key =
          random.below(kKeys / threads) * threads + id;  // only this thread's, interleaved with the others'
      if (random.below(3) != 0) {
        list.insert(key);
      } else {
        gone += list.remove(key) ? 1 : 0;
      }
    }
    removed[id] = gone;
  });
  uint64_t sum = 0;
  for (const List& list : lists) sum = list.checksum(sum);
  for (const uint64_t gone : removed) sum = kernel::mix(sum, gone);
  return kernel::finish("list", sum);
}
