/// \file
/// The reads of memory that several threads read: for each thread a plane of words, one for each cell, beside the
/// shadow and addressed as directly.
///
/// A thread's plane is written by the thread itself, so readers of shared data do not meet, and what it has read lies
/// side by side. A cell's read word says that its reads are here, and of which threads. A word of a plane is like the
/// word of a cell, of its thread: the bytes that it read last, and older ones, with a bound; and whether earlier reads
/// of these bytes are kept beside (kept_reads.hpp). What does not fit is in a vector of reads (read_vectors.hpp), as
/// are the reads of threads beyond the first `kMost`.
///
/// Discipline: a word counts if the cell names its plane. Who holds the cell's lock may change all of the cell's words,
/// and what it names. Who does not changes its own word only, has the cell name it then, and looks at the cell again
/// afterwards. There is no fence between: in the same moment a read may be lost, and be left in a plane that the cell
/// no longer names. None is made up.
#pragma once

#include "capture/runtime/online/planes.hpp"

namespace omen::rt::online {

class ReadPlanes : public CellPlanes<1> {
 public:
  // In a word, where that of a cell has its thread's slot.
  static constexpr u64 kKept = u64{1} << kSlotShift;  ///< what the thread has kept of the cell counts
  static constexpr u64 kSpan = kKept << 1;            ///< it is a span: kept_reads.hpp
  static constexpr u64 kSpanWrote = kKept << 2;       ///< and there were writes in it, before the cell's last one
  static constexpr u64 kFlags = kKept | kSpan | kSpanWrote;

  /// Has the plane's thread read these bytes at this time?
  static OMEN_INLINE bool has(const Word& word, u64 now, u64 wanted) {
    return ((word.load(std::memory_order_relaxed) ^ now) & (kTimes | wanted)) == 0;
  }
  /// All bytes of two cells?
  static OMEN_INLINE bool have(const Word& first, const Word& second, u64 now) {
    return (((first.load(std::memory_order_relaxed) ^ now) | (second.load(std::memory_order_relaxed) ^ now)) &
            (kTimes | kBytes)) == 0;
  }
  static OMEN_INLINE bool has(const uptr* plane, uptr address, u64 now, u64 wanted) {
    const Word* const word = find(plane, address);
    return word != nullptr && has(*word, now, wanted);
  }

 private:
  static constexpr u64 kTimes = u64{~u32{0}} << kTimeShift;
};

extern ReadPlanes read_planes;

}  // namespace omen::rt::online
