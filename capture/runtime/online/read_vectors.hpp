/// \file
/// The vectors of reads that are not ordered among each other, shared by all threads of the program.
///
/// A vector has a slot for each thread, which only that thread writes: readers of shared data do not meet. Whoever
/// holds the cell's lock takes a vector for it or gives it back. A reader without the lock says first which vector it
/// is about to write to (its `hazard`), and then looks at the cell again: a vector that is named there is not given
/// out.
#pragma once

#include "analysis/levels/access_words.hpp"
#include "capture/runtime/platform.hpp"

namespace omen::rt::online {

class ReadVectors {
 public:
  using Number = u32;             ///< of the first of its units: the head; the slots follow
  using Slot = std::atomic<u32>;  ///< when the thread read, in its local time; 0: it has not

  bool create() {
    units_ = static_cast<Slot*>(map_memory(kUnits * sizeof(Slot)));
    return units_ != nullptr;
  }
  void forget_all() {
    forget_memory(units_, kUnits * sizeof(Slot));
    next_ = 1;
    for (Number& free : free_) free = 0;
    live_ = 0;
    lock_.reset();
  }

  /// Null: the vector is too small for that thread.
  OMEN_INLINE Slot* find(Number number, u32 slot) {
    return slot < capacity(number) ? &units_[number + 1 + slot] : nullptr;
  }
  OMEN_INLINE u32 capacity(Number number) const { return units_[number].load(std::memory_order_relaxed); }

  /// An empty vector with room for `slots` threads. `is_hazard(number)`: does some thread name it?
  template <class IsHazard>
  Number take(u32 slots, IsHazard is_hazard) {
    const u32 power = power_for(slots);
    const SpinGuard guard(lock_);
    Number before = 0;
    Number number = free_[power];
    while (number != 0 && is_hazard(number)) {
      before = number;
      number = next_free(number);
    }
    if (number == 0) {
      // At a multiple of its size, so that a small one does not reach over a cache line.
      number = (next_ + (1U << power) - 1) & ~((1U << power) - 1);
      next_ = number + (1U << power);
      units_[number].store((1U << power) - 1, std::memory_order_relaxed);
    } else if (before == 0) {
      free_[power] = next_free(number);
    } else {
      units_[before + 1].store(next_free(number), std::memory_order_relaxed);
    }
    for (u32 i = 1; i < (1U << power); ++i) units_[number + i].store(0, std::memory_order_relaxed);
    live_ += sizeof(Slot) << power;
    return number;
  }
  void give_back(Number number) {
    const u32 power = power_for(capacity(number));
    const SpinGuard guard(lock_);
    units_[number + 1].store(free_[power], std::memory_order_relaxed);
    free_[power] = number;
    live_ -= sizeof(Slot) << power;
  }

  /// Calls `visit(epoch)` for each read.
  template <class Visit>
  void for_each(Number number, Visit visit) const {
    const u32 slots = capacity(number);
    for (u32 i = 0; i < slots; ++i) {
      const u32 time = units_[number + 1 + i].load(std::memory_order_relaxed);
      if (time != 0) visit(Epoch{time, ThreadId{i}});
    }
  }
  /// The same reads?
  bool equal(Number a, Number b) const {
    if (capacity(a) != capacity(b)) return false;
    for (u32 i = 1; i <= capacity(a); ++i) {
      if (units_[a + i].load(std::memory_order_relaxed) != units_[b + i].load(std::memory_order_relaxed)) return false;
    }
    return true;
  }

  u64 live_bytes() const { return live_; }

 private:
  static constexpr std::size_t kUnits = std::size_t{1} << 32;  ///< 16 GiB of addresses, no memory until touched
  static constexpr u32 kSmallest = 2;                          ///< as a power of two

  static u32 power_for(u32 slots) {
    u32 power = kSmallest;
    while ((1U << power) <= slots) ++power;  // one unit is the head
    return power;
  }
  /// A vector that is free has the next free one in its first slot.
  Number next_free(Number number) const { return units_[number + 1].load(std::memory_order_relaxed); }

  Slot* units_ = nullptr;
  SpinLock lock_;  ///< guards the rest, and the links of free vectors
  Number next_ = 1;
  Number free_[32] = {};
  u64 live_ = 0;
};

}  // namespace omen::rt::online
