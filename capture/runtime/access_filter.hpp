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
  static constexpr std::size_t kEntries = 1U << 12;

  /// Whether these bytes of the cell are known; if not, they are from now on. A write makes later reads known as well.
  OMEN_INLINE bool known(uptr cell, u32 bytes, bool write) {
    Entry& entry = entries_[index(cell)];
    const u64 key = cell | epoch_;
    if (OMEN_LIKELY(entry.key == key)) {
      const u32 seen = write ? entry.written : (entry.read | entry.written);
      if ((bytes & ~seen) == 0) return true;
    }
    return false;
  }

  OMEN_INLINE void add(uptr cell, u32 bytes, bool write) {
    Entry& entry = entries_[index(cell)];
    const u64 key = cell | epoch_;
    if (entry.key != key) entry = {key, 0, 0};
    (write ? entry.written : entry.read) |= bytes;
  }

  /// The thread synchronised: nothing is known any more.
  OMEN_INLINE void next_epoch() {
    epoch_ += kEpochStep;
    if (OMEN_UNLIKELY(epoch_ == 0)) clear();
  }

  /// The cell has a new life.
  void forget(uptr cell) {
    Entry& entry = entries_[index(cell)];
    if (entry.key == (cell | epoch_)) entry.key = 0;
  }

 private:
  struct Entry {
    u64 key;  ///< cell (45 bits) and epoch
    u32 read;
    u32 written;
  };
  static constexpr u64 kEpochStep = u64{1} << 45;

  static std::size_t index(uptr cell) { return (cell ^ (cell >> 12)) & (kEntries - 1); }

  void clear() {
    for (Entry& entry : entries_) entry.key = 0;
    epoch_ = kEpochStep;
  }

  u64 epoch_ = kEpochStep;
  Entry entries_[kEntries] = {};
};

}  // namespace omen::rt
