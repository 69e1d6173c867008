/// \file
/// The shadow of 64 bytes of the program's memory, as long as few words can tell it: the last write and the last access
/// that was not that write, as a cell has them (cell.hpp), with 64 bytes instead of eight. Nearly all memory is used by
/// one thread at a time, and its neighbours with it, so nearly all memory needs no more. BigFoot's compressed shadow
/// state (seed 002) for lines instead of arrays.
///
/// A word is an *epoch*, as the word of a cell with all bytes has it, the set of bytes that were accessed then, and the
/// set of older bytes, of which the epoch is a bound. A thread that writes what is its own leaves its read word as it
/// is: bytes that are in both were written last, if the write's epoch is not before the read's (`live_read`). Before
/// its write word gets another epoch, these reads are taken out.
///
/// What does not fit - words that are not settled for who comes, atomic accesses, whatever SmartTrack has to decide -
/// is in cells: those of the bytes that were accessed say what the line said of them until then (`Online::open_line`),
/// the line has nothing of these bytes any more, and says so (`opened`). It stays so until such a cell is empty. The
/// line's other bytes are where they were.
///
/// Discipline: as a cell's. Whoever changes a line holds its lock bit, and gives it back with the new write word; the
/// read word is written before. A thread changes words of its own, or all of which is settled for it, without the lock
/// (the shortcut of online_cells.cpp). An epoch and its bytes are read and written together, which processors with AVX
/// do with sixteen aligned bytes, so they belong together. Older bytes are not: in the same moment they may be another
/// epoch's. Then nothing is found in the logs, or what is found there is true: a race may be missed, none is made up.
/// Cells are opened with the lock, closed by whoever ends the life of their memory. Who does not hold the lock and does
/// not see that a cell was opened in this moment leaves its bytes in the line: what they say is true, and nobody asks
/// for it.
#pragma once

#include <emmintrin.h>

#include <cstddef>

#include "capture/runtime/online/cell.hpp"

namespace omen::rt::online {

inline constexpr uptr kLineSize = 64;
inline constexpr u32 kCellsOfLine = kLineSize / kCellBytes;

/// A word of a line, or of a plane. Nothing is 0, 0, 0.
struct LineWord {
  u64 epoch;
  u64 bytes;
  u64 older;  ///< those of `bytes` do not count

  OMEN_INLINE u64 touched() const { return bytes | older; }
};

/// An epoch and its bytes.
class alignas(16) EpochAndBytes {
 public:
  OMEN_INLINE void load(u64& epoch, u64& bytes) const {
    __m128i both;
    asm volatile("movdqa %1, %0" : "=x"(both) : "m"(words_));
    epoch = static_cast<u64>(_mm_cvtsi128_si64(both));
    bytes = static_cast<u64>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(both, both)));
  }
  OMEN_INLINE void store(u64 epoch, u64 bytes) {
    const __m128i both = _mm_set_epi64x(static_cast<long long>(bytes), static_cast<long long>(epoch));
    asm volatile("movdqa %1, %0" : "=m"(words_) : "x"(both) : "memory");
  }
  OMEN_INLINE u64 epoch() const { return words_[0].load(std::memory_order_relaxed); }
  OMEN_INLINE u64 bytes() const { return words_[1].load(std::memory_order_relaxed); }

  /// Has the thread accessed these bytes at its epoch, `now`? Nobody else puts it here, nor bytes beside it that are
  /// not the thread's: so no need to read both together.
  OMEN_INLINE bool has(u64 now, u64 wanted) const { return epoch() == now && (wanted & ~bytes()) == 0; }

  /// Adds the lock. False: the epoch is not `seen` any more.
  OMEN_INLINE bool lock(u64 seen) {
    return words_[0].compare_exchange_strong(seen, seen | kLockBit, std::memory_order_acquire,
                                             std::memory_order_relaxed);
  }

 private:
  std::atomic<u64> words_[2];
};

/// It has a cache line of its own: threads that use different lines do not meet.
struct alignas(64) Line {
  // The program's own code looks at these two (capture/pass/inlined_checks.cpp).
  EpochAndBytes write;
  EpochAndBytes read;
  std::atomic<u64> older_writes;
  std::atomic<u64> older_reads;
  std::atomic<u64> opened_bytes;

  OMEN_INLINE LineWord load_write() const { return load(write, older_writes); }
  OMEN_INLINE LineWord load_read() const { return load(read, older_reads); }
  OMEN_INLINE void store_write(const LineWord& word) { store(write, older_writes, word); }
  OMEN_INLINE void store_read(const LineWord& word) { store(read, older_reads, word); }

  /// The bytes of which cells tell; all of a cell's or none.
  OMEN_INLINE u64 opened() const { return opened_bytes.load(std::memory_order_relaxed); }
  OMEN_INLINE bool is_open(u64 bytes) const { return (opened() & bytes) != 0; }
  OMEN_INLINE void open(u64 cells) { opened_bytes.fetch_or(cells, std::memory_order_release); }
  OMEN_INLINE void close(u64 cells) { opened_bytes.fetch_and(~cells, std::memory_order_relaxed); }
  OMEN_INLINE bool is_empty() const { return (write.epoch() | read.epoch() | opened()) == 0; }

  static OMEN_INLINE LineWord load(const EpochAndBytes& word, const std::atomic<u64>& older) {
    LineWord loaded;
    word.load(loaded.epoch, loaded.bytes);
    loaded.older = older.load(std::memory_order_relaxed);
    return loaded;
  }
  static OMEN_INLINE void store(EpochAndBytes& to, std::atomic<u64>& older, const LineWord& word) {
    older.store(word.older, std::memory_order_relaxed);
    to.store(word.epoch, word.bytes);
  }
};
static_assert(sizeof(Line) == 64 && offsetof(Line, write) == 0 && offsetof(Line, read) == 16);

/// All bytes of the cells that have some of these.
OMEN_INLINE constexpr u64 whole_cells(u64 bytes) {
  bytes |= bytes >> 4 & 0x0f0f0f0f0f0f0f0f;
  bytes |= bytes >> 2 & 0x0303030303030303;
  bytes |= bytes >> 1;
  return (bytes & 0x0101010101010101) * kBytes;
}
static_assert(whole_cells(0x0080000000100001) == 0x00ff000000ff00ff);

/// Bytes side by side in a line; those beyond its end are left out.
OMEN_INLINE constexpr u64 line_bytes_at(u32 offset, u32 bytes) {
  return (~u64{0} >> (kLineSize - bytes)) << offset;
}
/// The bytes of the line at `base` that are in [begin, end); some are.
OMEN_INLINE constexpr u64 line_bytes_within(uptr base, uptr begin, uptr end) {
  u64 bytes = ~u64{0};
  if (base < begin) bytes &= ~u64{0} << (begin - base);
  if (end - base < kLineSize) bytes &= ~u64{0} >> (kLineSize - (end - base));
  return bytes;
}

/// Calls `visit(address, bytes)` for bytes of a mask that stand side by side; its first is at `base`.
template <class Visit>
OMEN_INLINE void for_each_run(uptr base, u64 mask, Visit visit) {
  while (mask != 0) {
    const u32 skipped = static_cast<u32>(__builtin_ctzll(mask));
    mask >>= skipped;
    base += skipped;
    const u32 run = ~mask == 0 ? 64 : static_cast<u32>(__builtin_ctzll(~mask));
    visit(base, run);
    mask = run == 64 ? 0 : mask >> run;
    base += run;
  }
}

/// All bits, or none.
OMEN_INLINE constexpr u64 all_if(bool condition) {
  return u64{0} - u64{condition};
}

/// Has the thread made this access before, in this epoch? Whether a word is of this epoch is as good as random, so
/// there is no branch for it.
template <bool write>
OMEN_INLINE bool is_repeated_in_line(const Line& line, u64 now, u64 wanted) {
  u64 known = line.write.bytes() & all_if(line.write.epoch() == now);
  if (!write) known |= line.read.bytes() & all_if(line.read.epoch() == now);
  return (wanted & ~known) == 0;
}

}  // namespace omen::rt::online
