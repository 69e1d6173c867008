/// \file
/// What an access makes of a line's words where everything earlier is settled for its thread: settling.hpp, for lines.
#pragma once

#include "capture/runtime/online/line_map.hpp"
#include "capture/runtime/online/line_planes.hpp"
#include "capture/runtime/online/settling.hpp"

namespace omen::rt::online {

/// The read word without what the same thread has written since: who writes what is its own leaves its reads as they
/// are, and a later write of a thread tells all that an earlier read of it would.
OMEN_INLINE LineWord live_read(const LineWord& written, LineWord read) {
  const bool superseded = (read.epoch & kPlanesBit) == 0 && slot_in(read.epoch) == slot_in(written.epoch) &&
                          time_in(read.epoch) <= time_in(written.epoch);
  if (superseded) {
    read.bytes &= ~written.bytes;
    read.older &= ~written.bytes;
    if (read.touched() == 0) read = {};
  }
  return read;
}

/// Before a word of the thread's own writes gives way to one of a later epoch.
OMEN_INLINE void forget_superseded_reads(Line& line, const LineWord& written) {
  const LineWord read = line.load_read();
  const LineWord live = live_read(written, read);
  if ((read.bytes ^ live.bytes) | (read.older ^ live.older)) line.store_read(live);
}

/// Need these bytes of a word no look at the analysis?
OMEN_INLINE bool is_line_settled(const OnlineThread& state, const LineWord& word, u64 wanted) {
  return (word.touched() & wanted) == 0 || state.is_settled(word.epoch) ||
         ((word.bytes & wanted) == 0 && state.is_own_older(word.epoch));
}

/// The word after its wanted bytes have become the thread's own, of now; the others are settled.
OMEN_INLINE LineWord line_taken(const OnlineThread& state, const LineWord& word, u64 wanted) {
  if (word.epoch == state.now) return {word.epoch, word.bytes | wanted, word.older & ~wanted};
  return {state.now, wanted, word.touched() & ~wanted};
}
/// The word without these bytes.
OMEN_INLINE LineWord line_without(const LineWord& word, u64 wanted) {
  const LineWord rest{word.epoch, word.bytes & ~wanted, word.older & ~wanted};
  return rest.touched() == 0 ? LineWord{} : rest;
}
/// A word of the thread's plane after a read. Epoch 0: its earlier reads are not settled.
OMEN_INLINE LineWord plane_taken(const OnlineThread& state, const LineWord& word, u64 wanted) {
  if (word.epoch != state.now && word.epoch != 0 && !state.is_own_time_settled(time_in(word.epoch))) return {};
  return line_taken(state, word, wanted);
}

/// What a cell of the line has of one of its words.
OMEN_INLINE u64 cell_word(const LineWord& word, u32 cell) {
  const u64 bytes = word.bytes >> (cell * kCellBytes) & kBytes;
  const u64 older = word.older >> (cell * kCellBytes) & kBytes & ~bytes;
  return (bytes | older) == 0 ? 0 : without_bytes(word.epoch) | bytes | (older << kOlderShift);
}

/// May the thread change the line without its lock?
template <bool write>
OMEN_INLINE bool may_take_line(const OnlineThread& state, const LineWord& written, const LineWord& read, u64 wanted) {
  if (!state.is_own_and_settled(read.epoch)) return false;
  if (state.is_own_and_settled(written.epoch)) return true;
  return !write && (written.epoch & kLockBit) == 0 && is_line_settled(state, written, wanted);
}
template <bool write>
OMEN_INLINE void take_line(const OnlineThread& state, Line& line, const LineWord& written, const LineWord& read,
                           u64 wanted) {
  if (write) {
    if (line.read.epoch() != 0) line.store_read(line_without(read, wanted));
    line.store_write(line_taken(state, written, wanted));
  } else {
    line.store_read(line_taken(state, read, wanted));
  }
}

/// Is all settled that would become a bound, or be forgotten? As `settle`, which see; nothing is changed.
OMEN_INLINE bool is_line_all_settled(const OnlineThread& state, const LineWord& written, const LineWord& read,
                                     u64 wanted, bool write) {
  const LineWord& mine = write ? written : read;
  return is_line_settled(state, read, wanted) && is_line_settled(state, written, wanted & ~read.touched()) &&
         (mine.epoch == state.now || is_line_settled(state, mine, mine.touched() & ~wanted));
}

}  // namespace omen::rt::online
