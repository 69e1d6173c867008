/// \file
/// The vectors of reads that are not ordered among each other, shared by all threads of the program.
///
/// A vector has a slot for each thread: the bytes of the cell that it read last, and those that it read before, in one
/// epoch or with a bound (cell.hpp, "Bounds"). What fits neither way splits the cell; then each byte has a vector of
/// its own.
///
/// Who reads writes its own slot only, so readers of shared data do not meet. Whoever holds the cell's lock takes a
/// vector for it, gives it back, and takes bytes out of slots. A reader without the lock says first which vector it is
/// about to write to (its `hazard`), and then looks at the cell again: a vector that is named there is not given out.
/// If both write a slot in the same moment a read may be lost; what a slot says was always read then.
#pragma once

#include "analysis/levels/access_words.hpp"
#include "capture/runtime/platform.hpp"

namespace omen::rt::online {

/// The reads of one thread; words of local time (above) and bytes (8 bits), the earlier one perhaps a bound.
struct ReadSlot {
  std::atomic<u64> last;
  std::atomic<u64> before;

  static constexpr u64 kBytesRead = 0xff;
  static constexpr u64 kBoundBit = u64{1} << 40;
  static OMEN_INLINE u32 time_of(u64 word) { return static_cast<u32>(word >> 8); }

  OMEN_INLINE bool has(u32 time, u64 bytes) const {
    return ((last.load(std::memory_order_relaxed) ^ ((u64{time} << 8) | kBytesRead)) & (~kBytesRead | bytes)) == 0;
  }
  /// Adds a read; earlier ones of the same bytes give way. What is left of them, if it is of two epochs, gets a bound
  /// if the thread has settled it, which it has up to the time `settled`. False: then there is no room.
  OMEN_INLINE bool add(u32 time, u64 bytes, u32 settled) {
    const u64 latest = last.load(std::memory_order_relaxed);
    const u64 earlier = without(before.load(std::memory_order_relaxed), bytes);
    if (time_of(latest) == time) {
      before.store(earlier, std::memory_order_relaxed);
      last.store(latest | bytes, std::memory_order_release);
      return true;
    }
    if (time_of(latest) > time) return add_earlier(time, bytes & ~latest, 0);
    u64 rest = without(latest, bytes);
    if (rest == 0) {
      rest = earlier;
    } else if (earlier != 0) {
      if (time_of(rest) > settled) return false;
      rest |= (earlier & kBytesRead) | kBoundBit;
    }
    before.store(rest, std::memory_order_relaxed);
    last.store((u64{time} << 8) | bytes, std::memory_order_release);
    return true;
  }
  /// Is there room for a read?
  bool has_room(u32 time, u64 bytes, u32 settled) const {
    const u64 latest = last.load(std::memory_order_relaxed);
    return time_of(latest) == time || without(latest, bytes) == 0 || time_of(latest) <= settled ||
           without(before.load(std::memory_order_relaxed), bytes) == 0;
  }
  /// Adds reads of which only a bound is known.
  bool add_bound(u32 time, u64 bytes) {
    return add_earlier(time, bytes & ~last.load(std::memory_order_relaxed), kBoundBit);
  }
  void remove(u64 bytes) {
    last.store(without(last.load(std::memory_order_relaxed), bytes), std::memory_order_relaxed);
    before.store(without(before.load(std::memory_order_relaxed), bytes), std::memory_order_relaxed);
  }
  u64 bytes() const {
    return (last.load(std::memory_order_relaxed) | before.load(std::memory_order_relaxed)) & kBytesRead;
  }
  /// The bytes that were read last when this one was, or were not read either.
  u64 alike(u64 byte) const {
    const u64 latest = last.load(std::memory_order_relaxed) & kBytesRead;
    const u64 earlier = before.load(std::memory_order_relaxed) & kBytesRead & ~latest;
    if ((latest & byte) != 0) return latest;
    return (earlier & byte) != 0 ? earlier : ~(latest | earlier) & kBytesRead;
  }
  u32 last_time() const { return time_of(last.load(std::memory_order_relaxed)); }
  /// The latest read that touched one of the bytes, or a bound of it; 0: none.
  u32 time_of_any(u64 bytes) const {
    const u64 latest = last.load(std::memory_order_relaxed);
    if ((latest & bytes) != 0) return time_of(latest);
    const u64 earlier = before.load(std::memory_order_relaxed);
    return (earlier & bytes) != 0 ? time_of(earlier) : 0;
  }
  /// The time from which on all of the bytes have been read; 0: not all were, or only a bound is known.
  u32 time_of_all(u64 bytes) const {
    const u64 latest = last.load(std::memory_order_relaxed);
    if ((bytes & ~latest) == 0) return time_of(latest);
    const u64 earlier = before.load(std::memory_order_relaxed);
    return (bytes & ~(latest | earlier) & kBytesRead) == 0 && (earlier & kBoundBit) == 0 ? time_of(earlier) : 0;
  }
  void set(u32 time, u64 bytes) {
    before.store(0, std::memory_order_relaxed);
    last.store((u64{time} << 8) | bytes, std::memory_order_release);
  }
  /// Of these bytes only a bound is known: the time; else 0.
  u32 bound_of(u64 bytes) const {
    const u64 earlier = before.load(std::memory_order_relaxed);
    return (earlier & kBoundBit) != 0 && (earlier & bytes) != 0 ? time_of(earlier) : 0;
  }

 private:
  static OMEN_INLINE u64 without(u64 word, u64 bytes) {
    word &= ~bytes;
    return (word & kBytesRead) == 0 ? 0 : word;
  }
  /// Reads that are older than the last one; `bytes` have not been read since.
  bool add_earlier(u32 time, u64 bytes, u64 bound) {
    if (bytes == 0) return true;
    u64 earlier = before.load(std::memory_order_relaxed);
    const bool same = time_of(earlier) == time && ((earlier ^ bound) & kBoundBit) == 0;
    if (earlier != 0 && !same) {
      // Two bounds of one thread have a common one: the later of them.
      if (bound == 0 || (earlier & kBoundBit) == 0) return false;
      if (time_of(earlier) > time) time = time_of(earlier);
    }
    before.store((u64{time} << 8) | ((earlier | bytes) & kBytesRead) | bound, std::memory_order_relaxed);
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
  /// The bytes that each thread read when it read this one, or has not read either.
  u64 bytes_alike(Number number, u64 byte) {
    u64 alike = ReadSlot::kBytesRead;
    for_each(number, [&](u32, const ReadSlot& slot) { alike &= slot.alike(byte); });
    return alike;
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
        const u64 part = word & bytes & ReadSlot::kBytesRead;
        if (part == 0 || !fits) continue;
        ReadSlot& mine = *find(to, i);
        const u32 time = ReadSlot::time_of(word);
        fits = (word & ReadSlot::kBoundBit) != 0 ? mine.add_bound(time, part) : mine.add(time, part, 0);
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
