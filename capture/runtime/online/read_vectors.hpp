/// \file
/// The vectors of reads that are not ordered among each other, shared by all threads of the program.
///
/// A vector has a slot for each thread: the bytes of the cell that it read last, and those that it read in the epoch
/// before. More epochs of one thread do not fit; then the cell is split, and each byte has a vector of its own.
///
/// Who reads writes its own slot only, so readers of shared data do not meet. Whoever holds the cell's lock takes a
/// vector for it, gives it back, and takes bytes out of slots. A reader without the lock says first which vector it is
/// about to write to (its `hazard`), and then looks at the cell again: a vector that is named there is not given out.
/// If both write a slot in the same moment a read may be lost; what a slot says was always read then.
#pragma once

#include "analysis/levels/access_words.hpp"
#include "capture/runtime/platform.hpp"

namespace omen::rt::online {

/// The reads of one thread; words of local time (above) and bytes (8 bits).
struct ReadSlot {
  std::atomic<u64> last;
  std::atomic<u64> before;

  static constexpr u64 kBytesRead = 0xff;
  static OMEN_INLINE u32 time_of(u64 word) { return static_cast<u32>(word >> 8); }

  OMEN_INLINE bool has(u32 time, u64 bytes) const {
    return ((last.load(std::memory_order_relaxed) ^ ((u64{time} << 8) | kBytesRead)) & (~kBytesRead | bytes)) == 0;
  }
  /// Adds a read; earlier ones of the same bytes give way. False: there is no room for what is left of them.
  OMEN_INLINE bool add(u32 time, u64 bytes) {
    const u64 latest = last.load(std::memory_order_relaxed);
    const u64 earlier = without(before.load(std::memory_order_relaxed), bytes);
    if (time_of(latest) == time) {
      before.store(earlier, std::memory_order_relaxed);
      last.store(latest | bytes, std::memory_order_release);
      return true;
    }
    const u64 rest = without(latest, bytes);
    if (time_of(latest) > time) return add_earlier(time, bytes, latest);
    if (rest != 0 && earlier != 0) return false;
    before.store(rest != 0 ? rest : earlier, std::memory_order_relaxed);
    last.store((u64{time} << 8) | bytes, std::memory_order_release);
    return true;
  }
  void remove(u64 bytes) {
    last.store(without(last.load(std::memory_order_relaxed), bytes), std::memory_order_relaxed);
    before.store(without(before.load(std::memory_order_relaxed), bytes), std::memory_order_relaxed);
  }
  u64 bytes() const {
    return (last.load(std::memory_order_relaxed) | before.load(std::memory_order_relaxed)) & kBytesRead;
  }
  /// The latest read that touched one of the bytes; 0: none.
  u32 time_of_any(u64 bytes) const {
    const u64 latest = last.load(std::memory_order_relaxed);
    if ((latest & bytes) != 0) return time_of(latest);
    const u64 earlier = before.load(std::memory_order_relaxed);
    return (earlier & bytes) != 0 ? time_of(earlier) : 0;
  }
  /// The time from which on all of the bytes have been read; 0: not all were.
  u32 time_of_all(u64 bytes) const {
    const u64 latest = last.load(std::memory_order_relaxed);
    if ((bytes & ~latest) == 0) return time_of(latest);
    const u64 earlier = before.load(std::memory_order_relaxed);
    return (bytes & ~(latest | earlier) & kBytesRead) == 0 ? time_of(earlier) : 0;
  }

 private:
  static OMEN_INLINE u64 without(u64 word, u64 bytes) {
    word &= ~bytes;
    return (word & kBytesRead) == 0 ? 0 : word;
  }
  /// A read that is older than the last one: bytes that were read since are not concerned.
  bool add_earlier(u32 time, u64 bytes, u64 latest) {
    bytes &= ~latest;
    if (bytes == 0) return true;
    const u64 earlier = before.load(std::memory_order_relaxed);
    if (earlier != 0 && time_of(earlier) != time) return false;
    before.store((u64{time} << 8) | (earlier & kBytesRead) | bytes, std::memory_order_relaxed);
    return true;
  }
};
static_assert(sizeof(ReadSlot) == 16);

class ReadVectors {
 public:
  using Number = u32;  ///< of its head among the units; the slots follow

  bool create() {
    units_ = static_cast<ReadSlot*>(map_memory(kUnits * sizeof(ReadSlot)));
    return units_ != nullptr;
  }
  void forget_all() {
    forget_memory(units_, kUnits * sizeof(ReadSlot));
    next_ = 1;
    for (Number& free : free_) free = 0;
    live_ = 0;
    lock_.reset();
  }

  /// Null: the vector is too small for that thread.
  OMEN_INLINE ReadSlot* find(Number number, u32 slot) {
    return slot < capacity(number) ? &units_[number + 1 + slot] : nullptr;
  }
  OMEN_INLINE u32 capacity(Number number) const {
    return static_cast<u32>(units_[number].last.load(std::memory_order_relaxed));
  }

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
      units_[number].last.store((1U << power) - 1, std::memory_order_relaxed);
    } else if (before == 0) {
      free_[power] = next_free(number);
    } else {
      units_[before].before.store(next_free(number), std::memory_order_relaxed);
    }
    for (u32 i = 1; i < (1U << power); ++i) {
      units_[number + i].last.store(0, std::memory_order_relaxed);
      units_[number + i].before.store(0, std::memory_order_relaxed);
    }
    live_ += sizeof(ReadSlot) << power;
    return number;
  }
  void give_back(Number number) {
    const u32 power = power_for(capacity(number));
    const SpinGuard guard(lock_);
    units_[number].before.store(free_[power], std::memory_order_relaxed);
    free_[power] = number;
    live_ -= sizeof(ReadSlot) << power;
  }

  /// Calls `visit(slot number, slot)` for each thread that has read.
  template <class Visit>
  void for_each(Number number, Visit visit) {
    const u32 slots = capacity(number);
    for (u32 i = 0; i < slots; ++i) {
      ReadSlot& slot = units_[number + 1 + i];
      if (slot.bytes() != 0) visit(i, slot);
    }
  }
  u64 bytes_read(Number number) {
    u64 bytes = 0;
    for_each(number, [&](u32, const ReadSlot& slot) { bytes |= slot.bytes(); });
    return bytes;
  }
  /// Adds the reads of one vector, of these bytes, to another with at least as much room. False: they do not fit.
  bool add_all(Number from, Number to, u64 bytes) {
    bool fits = true;
    for_each(from, [&](u32 i, const ReadSlot& slot) {
      for (const u64 word : {slot.before.load(std::memory_order_relaxed), slot.last.load(std::memory_order_relaxed)}) {
        if ((word & bytes & ReadSlot::kBytesRead) == 0) continue;
        fits = fits && find(to, i)->add(ReadSlot::time_of(word), word & bytes & ReadSlot::kBytesRead);
      }
    });
    return fits;
  }

  u64 live_bytes() const { return live_; }

 private:
  static constexpr std::size_t kUnits = std::size_t{1} << 31;  ///< 32 GiB of addresses, no memory until touched
  static constexpr u32 kSmallest = 2;                          ///< as a power of two

  static u32 power_for(u32 slots) {
    u32 power = kSmallest;
    while ((1U << power) <= slots) ++power;  // one unit is the head
    return power;
  }
  /// A vector that is free has the next free one in its head, beside its capacity.
  Number next_free(Number number) const {
    return static_cast<Number>(units_[number].before.load(std::memory_order_relaxed));
  }

  ReadSlot* units_ = nullptr;
  SpinLock lock_;  ///< guards the rest, and the links of free vectors
  Number next_ = 1;
  Number free_[32] = {};
  u64 live_ = 0;
};

}  // namespace omen::rt::online
