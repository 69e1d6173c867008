// An allocator with a free list for each thread; blocks that others free come back over an atomic list.
// EXPECT: none
// OUTPUT: 600
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

union Block {
  Block* next;
  int value;
};
struct Heap {
  std::vector<Block> blocks = std::vector<Block>(32);
  Block* free = nullptr;
  std::atomic<Block*> returned{nullptr};
  Heap() {
    for (Block& block : blocks) {
      block.next = free;
      free = &block;
    }
  }
  Block* take() {
    if (free == nullptr) free = returned.exchange(nullptr, std::memory_order_acquire);
    if (free == nullptr) return nullptr;
    Block* const block = free;
    free = block->next;
    return block;
  }
  void give_back(Block* block) {
    block->next = returned.load(std::memory_order_relaxed);
    while (!returned.compare_exchange_weak(block->next, block, std::memory_order_release, std::memory_order_relaxed)) {
    }
  }
};
static std::atomic<Block*> message{nullptr};

int main() {
  Heap heap;
  long sum = 0;
  std::thread consumer([&] {
    for (int i = 0; i < 600; ++i) {
      Block* block;
      while ((block = message.exchange(nullptr, std::memory_order_acquire)) == nullptr) std::this_thread::yield();
      sum += block->value;
      heap.give_back(block);
    }
  });
  for (int i = 0; i < 600; ++i) {
    Block* block;
    while ((block = heap.take()) == nullptr) std::this_thread::yield();
    block->value = 1;
    Block* empty = nullptr;
    while (!message.compare_exchange_weak(empty, block, std::memory_order_release, std::memory_order_relaxed)) {
      empty = nullptr;
      std::this_thread::yield();
    }
  }
  consumer.join();
  std::printf("%ld\n", sum);
}
