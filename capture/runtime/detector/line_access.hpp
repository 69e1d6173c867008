/// \file
/// An access to bytes of one line, which is locked: what the slow path works on.
#pragma once

#include "capture/runtime/detector/shadow.hpp"
#include "capture/runtime/detector/split_line.hpp"

namespace omen::rt::detect {

struct Shadow::LineAccess {
  DetectorThread& t;
  ShadowLine& line;
  uptr base;
  ByteSet wanted;  ///< without what the thread has accessed in the same way in this epoch
  AccessKind kind;
  ByteSet groups;  ///< the whole groups of eight of all that is accessed
  // What the line says of the bytes that are not in its detail. Of a line that is split: nothing.
  LineWord written;
  LineWord read;
  bool had_reads = false;  ///< these groups have been read since they were written
  bool resolved = false;   ///< a bounded write has become an epoch

  Word now() const { return t.now.as(kind); }
  History& history() const { return t.history; }
};

template <class Visit>
OMEN_INLINE void Shadow::for_each_reader(Word readers, uptr base, Visit visit) const {
  ReaderSet(readers).for_each(slot_count_->load(std::memory_order_relaxed), [&](Slot slot) {
    if (ReadWord* const place = thread_reads.find(slot, base)) visit(slot, *place, place->load());
  });
}

}  // namespace omen::rt::detect
