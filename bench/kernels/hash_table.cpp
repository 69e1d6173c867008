/// \file
/// A chained hash table shared by all threads, a lock for each group of buckets: finds, additions, insertions and
/// removals. Allocation and pointer chasing in critical sections of several accesses.
#include <mutex>
#include <utility>

#include "kernel.hpp"

namespace {

constexpr size_t kBuckets = 1 << 14;
constexpr size_t kLocks = 256;
constexpr size_t kKeys = 1 << 16;

struct Node {
  uint64_t key;
  uint64_t count;
  Node* next;
};

class Table {
 public:
  Table() : buckets_(kBuckets), locks_(kLocks) {}
  ~Table() {
    for (Node* node : buckets_) {
      while (node != nullptr) delete std::exchange(node, node->next);
    }
  }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  void add(uint64_t key, uint64_t amount) {
    const size_t bucket = place(key);
    const std::lock_guard guard(locks_[bucket % kLocks]);
    Node* node = buckets_[bucket];
    while (node != nullptr && node->key != key) node = node->next;
    if (node == nullptr) node = buckets_[bucket] = new Node{key, 0, buckets_[bucket]};
    node->count += amount;
  }

  bool remove(uint64_t key) {
    const size_t bucket = place(key);
    const std::lock_guard guard(locks_[bucket % kLocks]);
    for (Node** link = &buckets_[bucket]; *link != nullptr; link = &(*link)->next) {
      if ((*link)->key != key) continue;
      delete std::exchange(*link, (*link)->next);
      return true;
    }
    return false;
  }

  /// Independent of the order inside buckets.
  uint64_t checksum() const {
    uint64_t sum = 0;
    for (const Node* node : buckets_) {
      for (; node != nullptr; node = node->next) sum += kernel::mix(node->key, node->count);
    }
    return sum;
  }

 private:
  static size_t place(uint64_t key) { return key * 0x9e3779b97f4a7c15 >> 50; }

  std::vector<Node*> buckets_;
  mutable std::vector<std::mutex> locks_;
};

}  // namespace

int main(int argc, char** argv) {
  const auto [size, threads] = kernel::settings(argc, argv, 1500000);
  Table table;
  std::vector<uint64_t> removed(threads);
  kernel::parallel(threads, [&, size = size, threads = threads](size_t id) {
    kernel::Random random(id + 4);
    uint64_t gone = 0;
    for (size_t i = 0; i < size / threads; i++) {
      const uint64_t key = random.below(kKeys);
      table.add(key, i % 3);                            // shared with other threads
      const uint64_t own = kKeys + key * threads + id;  // only this thread's
      if (i % 4 == 0) table.add(own, 1);
      if (i % 4 == 2) gone += table.remove(own) ? 1 : 0;
    }
    removed[id] = gone;
  });
  uint64_t sum = table.checksum();
  for (const uint64_t gone : removed) sum = kernel::mix(sum, gone);
  return kernel::finish("hash_table", sum);
}
