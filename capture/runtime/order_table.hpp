/// \file
/// Decides which accesses need a fresh number so that conflicting accesses stand in the recording as they happened.
///
/// Accesses that synchronisation orders get the right order from its numbers alone. What is left are accesses that
/// race. For those, a table of cells remembers who touched memory last; several pieces of memory may share a cell,
/// which only costs a few fresh numbers. A cell is
/// - 0: untouched,
/// - owned by one thread: that thread's accesses need nothing,
/// - shared: read by several since the number it holds; a reader's own number must be greater.
/// Readers of shared memory write nothing. Every change happens under the cell's lock bit, and the fresh number is
/// taken inside: a thread that saw itself as the owner before has a smaller one.
#pragma once

#include "capture/runtime/platform.hpp"

namespace omen::rt {

class OrderTable {
 public:
  static constexpr std::size_t kCells = std::size_t{1} << 20;
  static constexpr uptr kBytes = 64;  ///< of memory that one cell stands for

  bool create() {
    cells_ = static_cast<std::atomic<u64>*>(map_memory(kCells * sizeof(u64)));
    return cells_ != nullptr;
  }
  /// In a forked child: no lock bit survives.
  void reset() { forget_memory(cells_, kCells * sizeof(u64)); }

  /// `thread` from 1. `number` is the thread's; `counter` gives fresh ones.
  OMEN_INLINE void touch(uptr address, bool write, u32 thread, u64& number, std::atomic<u64>& counter) {
    std::atomic<u64>& cell = cells_[index(address)];
    const u64 state = cell.load(std::memory_order_acquire);
    if (OMEN_LIKELY(state == thread)) return;
    if ((state & kShared) != 0 && (state & kLocked) == 0 && !write && (state & kNumber) < number) return;
    touch_slowly(cell, write, thread, number, counter);
  }

 private:
  static constexpr u64 kLocked = u64{1} << 63;
  static constexpr u64 kShared = u64{1} << 62;
  static constexpr u64 kNumber = kShared - 1;

  static std::size_t index(uptr address) {
    // Stacks and arenas lie at multiples of large powers of two: their distance must not vanish.
    return (address / kBytes + (address >> 22) * 0x9E5) & (kCells - 1);
  }

  static OMEN_NOINLINE void touch_slowly(std::atomic<u64>& cell, bool write, u32 thread, u64& number,
                                         std::atomic<u64>& counter) {
    u64 state = cell.load(std::memory_order_relaxed);
    for (u32 tries = 0;; ++tries) {
      if ((state & kLocked) == 0 && cell.compare_exchange_weak(state, state | kLocked, std::memory_order_acquire))
        break;
      if (tries > 100) {
        yield_cpu();
      } else {
        __builtin_ia32_pause();
      }
      state = cell.load(std::memory_order_relaxed);
    }
    u64 next = thread;
    if (state != 0 && state != thread) {
      number = counter.fetch_add(1, std::memory_order_relaxed) + 1;
      if (!write) next = kShared | number;
    }
    cell.store(next, std::memory_order_release);
  }

  std::atomic<u64>* cells_ = nullptr;
};

}  // namespace omen::rt
