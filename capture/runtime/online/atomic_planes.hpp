/// \file
/// Atomic accesses with happens-before: for each thread a plane of words, as for reads (read_planes.hpp).
///
/// An atomic access races with plain ones only. Of a thread's atomic accesses to a byte the last write and the last
/// read are all that a plain access has to know: who is ordered after them is ordered after the earlier ones. So no
/// view of the cell is needed (split_cells.hpp), but four words: for each half of the cell the last atomic write of the
/// thread, and the last atomic read. A word is as that of a cell, with the bytes of its half. Where the thread's slot
/// would stand it has which state of the plain accesses the thread has met (`SplitCell::changes`): while that is the
/// same, the thread's next atomic access has nothing to ask.
///
/// Discipline: a word counts if the split cell names its plane (`SplitCell::atomics`). Who holds the cell's lock may
/// take bytes out of all words, and names its own plane. Who does not changes its own words only, where they are named,
/// and looks at the cell again afterwards, behind a fence: if somebody has been there, or is, it does the same again
/// under the lock. So a plain and an atomic access in the same moment do not miss each other. A word says what its
/// thread did.
#pragma once

#include "capture/runtime/online/planes.hpp"
#include "capture/runtime/online/split_cells.hpp"

namespace omen::rt::online {

class AtomicPlanes : public CellPlanes<4> {
 public:
  static constexpr u32 kHalves = 2;

  /// The bytes of the half, of these.
  static OMEN_INLINE u64 in_half(u32 half, u64 bytes) { return bytes & (u64{0xf} << (4 * half)); }
  static OMEN_INLINE Word& written(Word* words, u32 half) { return words[2 * half]; }
  static OMEN_INLINE Word& read(Word* words, u32 half) { return words[2 * half + 1]; }

  /// Is it an access to these bytes at this time?
  static OMEN_INLINE bool is_now(u64 word, u32 time, u64 bytes) {
    return time_in(word) == time && (bytes & ~word) == 0;
  }
  /// Has the thread met this state of the plain accesses to these bytes, when it accessed them last?
  static OMEN_INLINE bool has_met(u64 word, u32 changes, u64 bytes) {
    return word >> kMetShift == changes && (bytes & ~word) == 0;
  }
  /// Would the word forget of other bytes when they were accessed?
  static OMEN_INLINE bool fits(u64 word, u32 time, u64 bytes) {
    return time_in(word) == time || (word & kBytes & ~bytes) == 0;
  }
  /// The word after an access that has met this state.
  static OMEN_INLINE u64 after(u64 word, u32 time, u64 bytes, u32 changes) {
    const u64 others = time_in(word) == time ? word & kBytes & ~bytes : 0;
    const u64 met = others == 0 || word >> kMetShift == changes ? changes : kMetNone;
    return (met << kMetShift) | (u64{time} << kTimeShift) | others | bytes;
  }

  /// The word when these bytes are not accessed any more.
  static OMEN_INLINE u64 without(u64 word, u64 bytes) {
    const u64 rest = word & ~bytes;
    return (rest & kBytes) == 0 ? 0 : rest;
  }

 private:
  static constexpr u32 kMetShift = SplitCell::kChangesShift;
  static constexpr u64 kMetNone = SplitCell::kMostChanges + 1;
};

extern AtomicPlanes atomic_planes;

}  // namespace omen::rt::online
