/// \file
/// The shadow of eight bytes of the program's memory: two words, the last write and the last access that was not that
/// write, each with the bytes that it touched.
///
/// A byte's state is FTO's and SmartTrack's: `write` is its last write, `read` its last access. In a cell the byte b
/// has
/// - write = the write word's epoch, if b is in that word's bytes, else none;
/// - read = the read word's epoch (or vector of reads), if b is in that word's bytes, else = write.
///
/// Bounds. Small elements side by side are accessed in different epochs, and a word has one. So a word also has *older*
/// bytes, of which its epoch is a bound only: their last access (of the word's kind) was settled for the word's thread
/// when it was there. Whoever has settled the bound has settled them too, which is what nearly every access asks. Who
/// has not needs the epoch itself, and finds it in the threads' logs (older_accesses.cpp).
///
/// What fits neither way - unsettled accesses of different epochs, ancillary sections, atomic accesses - is in a
/// `SplitCell`, which the write word names. The read word is 0 then, or `last_of_split` (settling.hpp).
///
/// Discipline: whoever changes a cell holds its lock bit (in the write word) and gives it back with the new write word;
/// the read word is written before. Readers without the lock look for their own epoch only: no other thread puts it
/// there.
#pragma once

#include "analysis/levels/access_words.hpp"
#include "capture/runtime/platform.hpp"

namespace omen::rt::online {

inline constexpr uptr kCellBytes = 8;

// A word: lock (1 bit), kind (2), thread slot (13), older bytes (8), local time or number (32), bytes (8).
inline constexpr u64 kLockBit = u64{1} << 63;
inline constexpr u64 kVectorBit = u64{1} << 62;  ///< in a read word: the time is the number of a vector of reads
inline constexpr u64 kSplitBit = u64{1} << 61;   ///< in a write word: the time is the number of a split cell
/// In a read word: the reads are in the planes of threads (read_planes.hpp), and all below is the set of their slots.
inline constexpr u64 kPlanesBit = u64{1} << 61;
inline constexpr u64 kBytes = 0xff;
inline constexpr u32 kOlderShift = 40;
inline constexpr u64 kOlder = kBytes << kOlderShift;
/// In the word of a single byte, which has neither bytes nor older bytes: the epoch is a bound.
inline constexpr u64 kBound = u64{1} << kOlderShift;
/// The same of a read, so that a byte's two words differ when it has been read since it was written.
inline constexpr u64 kReadBound = kBound | (kBound << 1);
inline constexpr u32 kSlotShift = 48;
inline constexpr u32 kTimeShift = 8;
inline constexpr u32 kSlotBits = 13;

/// A number of a split cell that is also read without the cell's lock, by who looks at the cell again afterwards.
template <class Number>
class Relaxed {
 public:
  Relaxed() = default;
  OMEN_INLINE Relaxed(const Relaxed& other) : value_(static_cast<Number>(other)) {}
  OMEN_INLINE Relaxed& operator=(const Relaxed& other) { return *this = static_cast<Number>(other); }
  OMEN_INLINE operator Number() const { return value_.load(std::memory_order_relaxed); }
  OMEN_INLINE Relaxed& operator=(Number value) {
    value_.store(value, std::memory_order_relaxed);
    return *this;
  }

 private:
  std::atomic<Number> value_{};
};

struct Cell {
  std::atomic<u64> write;
  std::atomic<u64> read;

  OMEN_INLINE bool is_empty() const {
    return (write.load(std::memory_order_relaxed) | read.load(std::memory_order_relaxed)) == 0;
  }
  /// Without its lock. False: it is locked, or names something outside.
  OMEN_INLINE bool forget() {
    const u64 kinds = (write.load(std::memory_order_relaxed) & (kLockBit | kSplitBit)) |
                      (read.load(std::memory_order_relaxed) & (kVectorBit | kPlanesBit));
    if (kinds != 0) return false;
    read.store(0, std::memory_order_relaxed);
    write.store(0, std::memory_order_relaxed);
    return true;
  }
};
static_assert(sizeof(Cell) == 16);

/// The set of bytes that stand side by side, from the first one's place in the cell on; those beyond it follow.
OMEN_INLINE constexpr u64 bytes_at(u32 offset, u32 bytes) {
  return ((u64{1} << bytes) - 1) << offset;
}

/// The bytes of the cell at `base` that are in [begin, end); some are.
OMEN_INLINE constexpr u64 bytes_within(uptr base, uptr begin, uptr end) {
  u64 bytes = kBytes;
  if (OMEN_UNLIKELY(base < begin)) bytes &= kBytes << (begin - base);
  if (OMEN_UNLIKELY(end - base < kCellBytes)) bytes &= kBytes >> (kCellBytes - (end - base));
  return bytes;
}

OMEN_INLINE constexpr u64 word_of(Epoch epoch, u64 bytes) {
  return (u64{static_cast<u32>(epoch.thread)} << kSlotShift) | (u64{epoch.time} << kTimeShift) | bytes;
}
OMEN_INLINE constexpr u64 vector_word(u32 number, u64 bytes) {
  return kVectorBit | (u64{number} << kTimeShift) | bytes;
}
OMEN_INLINE constexpr u64 split_word(u32 number) {
  return kSplitBit | (u64{number} << kTimeShift);
}
OMEN_INLINE constexpr u32 time_in(u64 word) {
  return static_cast<u32>(word >> kTimeShift);
}
OMEN_INLINE constexpr u32 slot_in(u64 word) {
  return static_cast<u32>(word >> kSlotShift) & ((1U << kSlotBits) - 1);
}
/// The epoch, the vector or the split cell alone.
OMEN_INLINE constexpr u64 without_bytes(u64 word) {
  return word & ~(kBytes | kOlder);
}
OMEN_INLINE constexpr u64 older_in(u64 word) {
  return (word & kOlder) >> kOlderShift;
}
/// The bytes that a word says anything of.
OMEN_INLINE constexpr u64 touched_in(u64 word) {
  return (word | (word >> kOlderShift)) & kBytes;
}
OMEN_INLINE constexpr u64 drop_bytes(u64 word, u64 bytes) {
  const u64 rest = word & ~(bytes | (bytes << kOlderShift));
  return (rest & (kBytes | kOlder)) == 0 ? 0 : rest;
}

/// Of a thread whose reads are in its plane; `slot` is below 61.
OMEN_INLINE constexpr u64 reader_bit(u32 slot) {
  return u64{1} << slot;
}

/// The epoch, or the vector, of a word; its bytes do not matter.
OMEN_INLINE Epoch epoch_in(u64 word) {
  if ((word & kVectorBit) != 0) return {time_in(word), kShared};
  if (time_in(word) == 0) return {};
  return {time_in(word), ThreadId{slot_in(word)}};
}
OMEN_INLINE u64 word_of_access(Epoch epoch) {
  if (epoch.thread == kShared) return vector_word(epoch.time, 0);
  return epoch.is_none() ? 0 : word_of(epoch, 0);
}

/// Is this the thread's own epoch, `now` (with all bytes), for all of the wanted bytes?
OMEN_INLINE bool is_now(u64 word, u64 now, u64 bytes) {
  return ((word ^ now) & (~(kBytes | kOlder) | bytes)) == 0;
}

/// Is it that for each of the wanted bytes in the read word, or in the write word?
OMEN_INLINE bool is_now_in_either(u64 written, u64 read, u64 now, u64 bytes) {
  if (is_now(read, now, bytes)) return true;
  const u64 write_differs = written ^ now;
  const u64 read_differs = read ^ now;
  return (((write_differs | read_differs) & ~(kBytes | kOlder)) | (write_differs & read_differs & bytes)) == 0;
}

/// Holds the lock bit of a cell; the destructor does not give it back: `unlock` does, with the new word.
OMEN_INLINE u64 lock_cell(Cell& cell) {
  u64 word = cell.write.load(std::memory_order_relaxed);
  for (u32 tries = 0;; ++tries) {
    if ((word & kLockBit) == 0 &&
        cell.write.compare_exchange_weak(word, word | kLockBit, std::memory_order_acquire, std::memory_order_relaxed)) {
      return word;
    }
    if (tries > 100) {
      yield_cpu();
    } else {
      __builtin_ia32_pause();
    }
    word = cell.write.load(std::memory_order_relaxed);
  }
}
OMEN_INLINE void unlock_cell(Cell& cell, u64 word) {
  cell.write.store(word, std::memory_order_release);
}

}  // namespace omen::rt::online
