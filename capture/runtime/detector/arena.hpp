/// \file
/// The analyses' memory inside the program: no allocator of the program is touched. Blocks come in powers of two and go
/// back to free lists; large ones are mappings of their own. Free lists are sharded by thread, so that threads whose
/// clocks have outgrown their cache line do not queue for one lock. Also what `analysis/memory.hpp` asks of a host
/// with many threads: `Table` and `DataLock`.
#pragma once

#include <atomic>
#include <cstddef>
#include <new>

#include "capture/runtime/base/platform.hpp"
#include "trace/check.hpp"

namespace omen::rt::detect {

void* arena_allocate(std::size_t bytes);
void arena_free(void* block, std::size_t bytes);
/// What the arena has from the system, in bytes.
u64 arena_bytes();
/// In a forked child: whoever held its lock is not there.
void arena_reset_lock();

}  // namespace omen::rt::detect

namespace omen {

template <class T>
struct Allocator {
  using value_type = T;
  Allocator() = default;
  template <class U>
  Allocator(const Allocator<U>&) {}  // NOLINT: allocators convert
  T* allocate(std::size_t n) { return static_cast<T*>(rt::detect::arena_allocate(n * sizeof(T))); }
  void deallocate(T* block, std::size_t n) { rt::detect::arena_free(block, n * sizeof(T)); }
  bool operator==(const Allocator&) const { return true; }
};

using DataLock = rt::SpinLock;

/// A vector indexed by ids whose elements never move. A thread that was given an id may use its element without a
/// lock while others add elements.
template <class T>
class Table {
 public:
  std::size_t size() const { return size_.load(std::memory_order_acquire); }
  T& operator[](std::size_t i) { return *element(i); }
  const T& operator[](std::size_t i) const { return *element(i); }

  void resize(std::size_t size) {
    const rt::SpinGuard guard(lock_);
    grow(size);
  }
  T& emplace_back() {
    const rt::SpinGuard guard(lock_);
    const std::size_t last = size_.load(std::memory_order_relaxed);
    grow(last + 1);
    return *element(last);
  }

  template <class Of, class Element>
  class Iterator {
   public:
    Iterator(Of& table, std::size_t i) : table_(&table), i_(i) {}
    Element& operator*() const { return (*table_)[i_]; }
    Iterator& operator++() {
      ++i_;
      return *this;
    }
    bool operator==(const Iterator& other) const { return i_ == other.i_; }

   private:
    Of* table_;
    std::size_t i_;
  };
  auto begin() const { return Iterator<const Table, const T>(*this, 0); }
  auto end() const { return Iterator<const Table, const T>(*this, size()); }

 private:
  static constexpr std::size_t kPerBlock = 64;
  static constexpr std::size_t kBlocks = std::size_t{1} << 18;

  T* element(std::size_t i) const {
    return blocks_.load(std::memory_order_relaxed)[i / kPerBlock].load(std::memory_order_acquire) + i % kPerBlock;
  }
  void grow(std::size_t size) {
    std::size_t made = size_.load(std::memory_order_relaxed);
    if (size <= made) return;
    if (size > kPerBlock * kBlocks) check_failed(__FILE__, __LINE__, "a table has room");
    if (blocks_.load(std::memory_order_relaxed) == nullptr) {
      blocks_.store(static_cast<Block*>(rt::map_memory(kBlocks * sizeof(Block))), std::memory_order_relaxed);
    }
    Block* const blocks = blocks_.load(std::memory_order_relaxed);
    for (std::size_t i = made == 0 ? 0 : (made - 1) / kPerBlock + 1; i * kPerBlock < size; ++i) {
      T* const block = Allocator<T>().allocate(kPerBlock);
      for (std::size_t n = 0; n < kPerBlock; ++n) new (static_cast<void*>(block + n)) T();
      blocks[i].store(block, std::memory_order_release);
    }
    size_.store(size, std::memory_order_release);
  }

  using Block = std::atomic<T*>;
  std::atomic<Block*> blocks_{nullptr};
  std::atomic<std::size_t> size_{0};
  rt::SpinLock lock_;  ///< guards growing
};

}  // namespace omen
