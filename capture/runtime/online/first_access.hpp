/// \file
/// The first access of an epoch to memory that is the thread's own, or that it has read together with others: what most
/// accesses are that are no repetition. The words of the cell decide, and nothing is changed but these (or the thread's
/// plane) and the thread's log. Whatever is not that simple is left to `Online::access`.
///
/// There is no `Busy` here. A signal handler that comes in between may access the same cell; then what one of the two
/// left is lost, as with the shortcut of which this is a part (online_cells.cpp).
#pragma once

#include "capture/runtime/online/online.hpp"
#include "capture/runtime/online/repeated_access.hpp"
#include "capture/runtime/online/settling.hpp"
#include "capture/runtime/recorder.hpp"

namespace omen::rt::online {

/// Is nothing to be done but to look at cells? Not where the run is recorded too, or counted.
OMEN_INLINE bool is_quick(const ThreadState* thread) {
  return thread != nullptr && (thread->busy | thread->ignore_access | thread->look_closer) == 0;
}

/// What became of an access.
enum class First : u8 {
  Done,
  NewFrame,  ///< the frame has no node yet; nothing has been done
  Shared,    ///< it reads, not only what is the thread's own
  InCells,   ///< cells of the line tell
  Other,     ///< it is not that simple
};

/// The access goes into the log. False: the frame has no node yet.
OMEN_INLINE bool log_first(const ThreadState* thread, const OnlineThread& state, uptr address, u64 bytes, bool write,
                           uptr pc) {
  const u64 frame = thread->stack.top()->node;
  if (OMEN_UNLIKELY(frame == 0)) return false;
  state.log->add(address, bytes, write ? Did::Write : Did::Read, {pc, static_cast<u32>(frame)}, time_in(state.now));
  return true;
}

/// The last write of these bytes needs no look at the analysis, and the cell is neither locked nor split.
OMEN_INLINE bool is_write_settled(const OnlineThread& state, u64 written, u64 wanted) {
  return state.is_own_and_settled(written) ||
         ((written & (kLockBit | kSplitBit)) == 0 && is_settled_for(state, written, wanted));
}

/// Are both words the thread's own, so that it may change them without the cell's lock?
template <bool write>
OMEN_INLINE bool may_take(const OnlineThread& state, u64 written, u64 read, u64 wanted) {
  return OMEN_LIKELY(state.is_own_and_settled(read)) &&
         (write ? state.is_own_and_settled(written) : is_write_settled(state, written, wanted));
}
template <bool write>
OMEN_INLINE void take(const OnlineThread& state, Cell& cell, u64 written, u64 read, u64 wanted) {
  if (write) {
    if (read != 0) cell.read.store(drop_bytes(read, wanted), std::memory_order_relaxed);
    cell.write.store(with_taken(state, written, wanted), std::memory_order_release);
  } else {
    cell.read.store(with_taken(state, read, wanted), std::memory_order_relaxed);
  }
}

/// A word gives way to one of the thread's own: what it said of other bytes is kept in the log.
OMEN_INLINE void log_replaced(OnlineThread& state, uptr base, u64 word, u64 next, bool write) {
  const u64 rest = touched_in(word) & touched_in(next) & ~next;
  if (OMEN_LIKELY(rest == 0 || is_own(state, word) || without_bytes(word) == without_bytes(next))) return;
  const u64 epoch = without_bytes(word);
  state.other_records += ((word & rest) != 0) + ((older_in(word) & rest) != 0);
  if ((word & rest) != 0) state.log->add_replaced(base, word & rest, write, epoch);
  if ((older_in(word) & rest) != 0) state.log->add_replaced(base, older_in(word) & rest, write, epoch | kBound);
}

/// The words of a cell have become others, for an access of which all that came before is settled; nobody was waited
/// for. False: so was the cell, in the same moment.
template <bool write>
OMEN_INLINE bool replace(OnlineThread& state, Cell& cell, uptr base, u64 written, u64 read, u64 next_write,
                         u64 next_read) {
  log_replaced(state, base, write ? written : read, write ? next_write : next_read, write);
  // Who was interrupted since the first look does not overwrite what others have made of the cell.
  if (OMEN_UNLIKELY(cell.write.load(std::memory_order_relaxed) != written ||
                    cell.read.load(std::memory_order_relaxed) != read)) {
    return false;
  }
  if (next_read != read) cell.read.store(next_read, std::memory_order_relaxed);
  if (write) cell.write.store(next_write, std::memory_order_release);
  return true;
}

/// The thread takes bytes of a cell over, of which all that came before is settled, whoever did it.
template <bool write, class Log>
OMEN_INLINE First take_over(OnlineThread& state, Cell& cell, uptr base, u64 written, u64 read, u64 wanted, Log log) {
  constexpr First kNot = write ? First::Other : First::Shared;
  if (((written & (kLockBit | kSplitBit)) | (read & (kVectorBit | kPlanesBit))) != 0) return kNot;
  u64 next_write = written;
  u64 next_read = read;
  if (!settle(state, next_write, next_read, wanted, write)) return kNot;
  if (!log()) return First::NewFrame;
  return replace<write>(state, cell, base, written, read, next_write, next_read) ? First::Done : kNot;
}

/// Is the last write of these bytes ordered, and kept in its thread's plane?
OMEN_INLINE bool is_write_in_plane(const OnlineThread& state, u64 written, u64 read, uptr address, u64 wanted) {
  if (!is_ordered_for_read(state, written, wanted)) return false;
  const u32 writer = slot_in(written);
  const ReadPlanes::Word* const writers = read_planes.find(writer, address);
  return writers != nullptr && (read & reader_bit(writer)) != 0 &&
         (wanted & ~touched_in(writers->load(std::memory_order_relaxed))) == 0;
}

/// The next word of the thread's plane, where the cell names it and all is settled, or at least ordered; 0 where not.
OMEN_INLINE u64 next_in_plane(const ThreadState* thread, u64 written, u64 read, uptr address, u64 wanted,
                              ReadPlanes::Word*& mine) {
  const OnlineThread& state = *thread->online;
  if ((read & kPlanesBit) == 0 || thread->planes == nullptr || (read & reader_bit(state.slot)) == 0 ||
      !(is_write_settled(state, written, wanted) || is_write_in_plane(state, written, read, address, wanted))) {
    return 0;
  }
  mine = ReadPlanes::find(thread->planes, address);
  return mine == nullptr ? 0 : plane_word_after(state, mine->load(std::memory_order_relaxed), wanted);
}
OMEN_INLINE First read_in_plane(const Cell& cell, u64 written, ReadPlanes::Word& mine, u64 next) {
  mine.store(next, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  const bool unchanged = cell.write.load(std::memory_order_relaxed) == written &&
                         (cell.read.load(std::memory_order_relaxed) & kPlanesBit) != 0;
  return OMEN_LIKELY(unchanged) ? First::Done : First::Other;
}

/// An access that lies in one cell. Memory that nobody has accessed in its life is nobody's own.
template <u32 bytes, bool write>
OMEN_INLINE First access_first(ThreadState* thread, Cell& cell, uptr address, uptr pc) {
  if (OMEN_UNLIKELY(!is_quick(thread))) return First::Other;
  OnlineThread& state = *thread->online;
  const u64 wanted = bytes == kCellBytes ? kBytes : bytes_at(address % kCellBytes, bytes);
  const u64 written = cell.write.load(std::memory_order_relaxed);
  const u64 read = cell.read.load(std::memory_order_relaxed);
  const auto log = [&] { return log_first(thread, state, address, bytes, write, pc); };
  if (OMEN_UNLIKELY((written | read) == 0)) return First::Other;
  const uptr base = address & ~(kCellBytes - 1);
  if (OMEN_LIKELY(state.is_plain_and_settled(written) && state.is_plain_and_settled(read))) {
    // Whose the cell was is as good as random where it goes from thread to thread, so it is not asked: who guesses
    // wrong waits for the cell before it goes on to the next one.
    if (!log()) return First::NewFrame;
    const u64 next_write = write ? with_taken(state, written, wanted) : written;
    const u64 next_read = write ? drop_bytes(read, wanted) : with_taken(state, read, wanted);
    return replace<write>(state, cell, base, written, read, next_write, next_read) ? First::Done : First::Other;
  }
  if (may_take<write>(state, written, read, wanted)) {
    if (!log()) return First::NewFrame;
    take<write>(state, cell, written, read, wanted);
    return First::Done;
  }
  return take_over<write>(state, cell, base, written, read, wanted, log);
}
/// A read of memory that the thread has read together with others.
template <u32 bytes>
OMEN_INLINE First read_first_in_plane(ThreadState* thread, uptr address, uptr pc) {
  const Cell& cell = *ShadowMap::find(address);
  const u64 wanted = bytes_at(address % kCellBytes, bytes);
  const u64 written = cell.write.load(std::memory_order_relaxed);
  const u64 read = cell.read.load(std::memory_order_relaxed);
  ReadPlanes::Word* mine = nullptr;
  const u64 next = next_in_plane(thread, written, read, address, wanted, mine);
  if (next == 0) return First::Other;
  shared_site(pc) = kInCellPlane;
  if (next == mine->load(std::memory_order_relaxed)) return First::Done;
  if (!log_first(thread, *thread->online, address, bytes, false, pc)) return First::NewFrame;
  return read_in_plane(cell, written, *mine, next);
}

/// The same in two cells side by side.
template <u32 bytes, bool write>
OMEN_INLINE First access_first_across(ThreadState* thread, Cell* cell, uptr address, uptr pc) {
  if (OMEN_UNLIKELY(!is_quick(thread))) return First::Other;
  const OnlineThread& state = *thread->online;
  const u64 wanted = bytes_at(address % kCellBytes, bytes);
  const u64 first = wanted & kBytes;
  const u64 second = wanted >> kCellBytes;
  const u64 written[2] = {cell[0].write.load(std::memory_order_relaxed), cell[1].write.load(std::memory_order_relaxed)};
  const u64 read[2] = {cell[0].read.load(std::memory_order_relaxed), cell[1].read.load(std::memory_order_relaxed)};
  if (may_take<write>(state, written[0], read[0], first) && may_take<write>(state, written[1], read[1], second)) {
    if (!log_first(thread, state, address, bytes, write, pc)) return First::NewFrame;
    take<write>(state, cell[0], written[0], read[0], first);
    take<write>(state, cell[1], written[1], read[1], second);
    return First::Done;
  }
  if (write) return First::Other;
  ReadPlanes::Word* mine[2] = {nullptr, nullptr};
  const u64 next[2] = {next_in_plane(thread, written[0], read[0], address, first, mine[0]),
                       next_in_plane(thread, written[1], read[1], address + kCellBytes, second, mine[1])};
  if (next[0] == 0 || next[1] == 0) return First::Other;
  shared_site(pc) = kInCellPlane;
  if (next[0] == mine[0]->load(std::memory_order_relaxed) && next[1] == mine[1]->load(std::memory_order_relaxed)) {
    return First::Done;
  }
  if (!log_first(thread, state, address, bytes, write, pc)) return First::NewFrame;
  const First done = read_in_plane(cell[0], written[0], *mine[0], next[0]);
  return done == First::Done ? read_in_plane(cell[1], written[1], *mine[1], next[1]) : done;
}

}  // namespace omen::rt::online
