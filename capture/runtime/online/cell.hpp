/// \file
/// The shadow of eight bytes of the program's memory: two words, the last write and the last access that was not that
/// write, each with the bytes that it touched.
///
/// A byte's state is FTO's and SmartTrack's: `write` is its last write, `read` its last access. In a cell the byte b
/// has
/// - write = the write word's epoch, if b is in that word's bytes, else none;
/// - read = the read word's epoch (or vector of reads), if b is in that word's bytes, else = write.
/// So one cell stands for eight variables as long as they have at most one epoch of each kind between them, which an
/// array that is worked through byte by byte has. Otherwise the write word names a `SplitCell`.
///
/// Discipline: whoever changes a cell holds its lock bit (in the write word) and gives it back with the new write word;
/// the read word is written before. Readers without the lock look for their own epoch only: no other thread puts it
/// there.
#pragma once

#include "analysis/levels/access_words.hpp"
#include "capture/runtime/platform.hpp"

namespace omen::rt::online {

struct Cell {
  std::atomic<u64> write;
  std::atomic<u64> read;
};
static_assert(sizeof(Cell) == 16);

inline constexpr uptr kCellBytes = 8;

// A word: lock (1 bit), kind (2), thread slot (13), unused (8), local time or number (32), bytes (8).
inline constexpr u64 kLockBit = u64{1} << 63;
inline constexpr u64 kVectorBit = u64{1} << 62;  ///< in a read word: the time is the number of a vector of reads
inline constexpr u64 kSplitBit = u64{1} << 61;   ///< in a write word: the time is the number of a split cell
/// In a write word: the time is the number of a pair of cells, one for each half of the bytes (`HalvedCells`). Once a
/// cell is halved it stays so until its memory has a new life.
inline constexpr u64 kHalvedBit = u64{1} << 47;
inline constexpr u64 kBytes = 0xff;
inline constexpr u32 kSlotShift = 48;
inline constexpr u32 kTimeShift = 8;
inline constexpr u32 kSlotBits = 13;

OMEN_INLINE constexpr u64 word_of(Epoch epoch, u64 bytes) {
  return (u64{static_cast<u32>(epoch.thread)} << kSlotShift) | (u64{epoch.time} << kTimeShift) | bytes;
}
OMEN_INLINE constexpr u64 vector_word(u32 number, u64 bytes) {
  return kVectorBit | (u64{number} << kTimeShift) | bytes;
}
OMEN_INLINE constexpr u64 split_word(u32 number) {
  return kSplitBit | (u64{number} << kTimeShift);
}
OMEN_INLINE constexpr u64 halved_word(u32 number) {
  return kHalvedBit | (u64{number} << kTimeShift);
}
/// The bytes of a half.
OMEN_INLINE constexpr u64 bytes_of_half(u32 half) {
  return half == 0 ? 0x0f : 0xf0;
}
OMEN_INLINE constexpr u32 time_in(u64 word) {
  return static_cast<u32>(word >> kTimeShift);
}
OMEN_INLINE constexpr u32 slot_in(u64 word) {
  return static_cast<u32>(word >> kSlotShift) & ((1U << kSlotBits) - 1);
}
OMEN_INLINE constexpr u64 without_bytes(u64 word) {
  return word & ~kBytes;
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
  return ((word ^ now) & (~kBytes | bytes)) == 0;
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
