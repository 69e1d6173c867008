/// \file
/// Drops accesses that say nothing new: memory that the thread has already accessed in the same or a stronger way since
/// its last synchronisation (the same-epoch case of the analyses, decided where it arises).
///
/// A direct-mapped table per thread; an entry that is displaced only means that an access is recorded twice.
#pragma once

#include "capture/runtime/platform.hpp"

namespace omen::rt {

class AccessFilter {
 public:
  static constexpr u32 kIndexBits = 16;
  static constexpr std::size_t kEntries = std::size_t{1} << kIndexBits;

  /// Those of the cell's bytes that are not yet known to be accessed so.
  OMEN_INLINE u32 unknown(uptr cell, u32 bytes, bool write) const {
    const u64 entry = entries_[index(cell)];
    if (OMEN_UNLIKELY(((entry ^ key(cell)) >> 16) != 0)) return bytes;
    const u32 written = static_cast<u32>(entry) & 0xff;
    const u32 read = static_cast<u32>(entry >> 8) & 0xff;
    return bytes & ~(write ? written : read | written);
  }

  /// From now on they are. A write makes reads known as well.
  OMEN_INLINE void add(uptr cell, u32 bytes, bool write) {
    u64& entry = entries_[index(cell)];
    if (((entry ^ key(cell)) >> 16) != 0) entry = key(cell);
    entry |= write ? bytes : bytes << 8;
  }

  /// The thread synchronised: nothing is known any more.
  OMEN_INLINE void next_epoch() {
    epoch_ += kEpochStep;
    if (OMEN_UNLIKELY((epoch_ & kEpochMask) == 0)) clear();
  }

  /// The cell has a new life.
  void forget(uptr cell) {
    u64& entry = entries_[index(cell)];
    if (((entry ^ key(cell)) >> 16) == 0) entry = 0;
  }

 private:
  // An entry: the upper bits of the cell (29), the epoch (19), the bytes read (8) and written (8). The epoch of a valid
  // entry is not 0.
  static constexpr u64 kEpochStep = u64{1} << 16;
  static constexpr u64 kEpochMask = ((u64{1} << 19) - 1) << 16;

  /// Arrays at distances of large powers of two must not meet; the cell's upper bits, which the entry has, decide.
  static OMEN_INLINE std::size_t index(uptr cell) {
    return (cell ^ ((cell >> kIndexBits) * 0x9E3B)) & (kEntries - 1);
  }
  OMEN_INLINE u64 key(uptr cell) const { return ((cell >> kIndexBits) << 35) | epoch_; }

  void clear() {
    for (u64& entry : entries_) entry = 0;
    epoch_ = kEpochStep;
  }

  u64 epoch_ = kEpochStep;
  u64 entries_[kEntries] = {};
};

}  // namespace omen::rt
