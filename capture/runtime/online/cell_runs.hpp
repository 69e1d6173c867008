/// \file
/// Ranges: cells side by side, of which a look at their words decides, as with a single access (first_access.hpp). Most
/// of a range looks alike, since it was accessed as a range before: what is decided for a cell is done to all that
/// follow with the same words.
#pragma once

#include "capture/runtime/online/line_access.hpp"

namespace omen::rt::online {

/// How many of these cells, of which all bytes are wanted, were accessed in this epoch? At least the first was.
template <bool write>
OMEN_INLINE uptr repeated_cells(const Cell* cell, uptr most, u64 now) {
  const auto differs = [&](const std::atomic<u64>& word) {
    return (word.load(std::memory_order_relaxed) ^ now) & ~kOlder;
  };
  const auto run = [&](std::atomic<u64> Cell::* word) {
    uptr count = 0;
    while (count + 4 <= most && (differs(cell[count].*word) | differs(cell[count + 1].*word) |
                                 differs(cell[count + 2].*word) | differs(cell[count + 3].*word)) == 0) {
      count += 4;
    }
    while (count < most && differs(cell[count].*word) == 0) ++count;
    return count;
  };
  const uptr written = run(&Cell::write);
  if (write || written != 0) return written;
  const uptr read = run(&Cell::read);
  return read != 0 ? read : 1;
}

/// The same of words of the thread's plane; it may be none.
OMEN_INLINE uptr repeated_words(const ReadPlanes::Word* words, uptr most, u64 now) {
  uptr count = 0;
  while (count + 2 <= most && ReadPlanes::have(words[count], words[count + 1], now)) count += 2;
  while (count < most && ReadPlanes::has(words[count], now, kBytes)) ++count;
  return count;
}

/// Whole cells with the same words as the first, which the thread may take: they are its own from now on. How many?
template <bool write>
OMEN_INLINE uptr take_cells(const OnlineThread& state, Cell* cell, uptr most, u64 written, u64 read) {
  const u64 now = state.now;
  uptr count = 0;
  do {
    if (write) {
      if (read != 0) cell[count].read.store(0, std::memory_order_relaxed);
      cell[count].write.store(now, std::memory_order_release);
    } else {
      cell[count].read.store(now, std::memory_order_relaxed);
    }
    ++count;
  } while (count < most && cell[count].write.load(std::memory_order_relaxed) == written &&
           cell[count].read.load(std::memory_order_relaxed) == read);
  return count;
}

/// Whole cells with the same words as the first, and the same word in the thread's plane, which is `next` from now on.
/// How many? (0: the first has changed meanwhile.)
OMEN_INLINE uptr read_cells_in_plane(const Cell* cell, ReadPlanes::Word* mine, uptr most, u64 written, u64 read,
                                     u64 earlier, u64 next) {
  uptr count = 0;
  while (read_in_plane(cell[count], written, mine[count], next) == First::Done) {
    ++count;
    if (count == most || cell[count].write.load(std::memory_order_relaxed) != written ||
        cell[count].read.load(std::memory_order_relaxed) != read ||
        mine[count].load(std::memory_order_relaxed) != earlier) {
      break;
    }
  }
  return count;
}

/// From `begin` on, what the thread's plane says that the thread has read in this epoch. At a place in the program
/// where its last read was there.
inline uptr skip_shared_reads(const ThreadState* thread, uptr begin, uptr end, uptr pc) {
  if (shared_site(pc) == kInLinePlane) {
    uptr at = begin;
    while (at < end) {
      const uptr line = at & ~(kLineSize - 1);
      const LinePlanes::Word* const mine = LinePlanes::find(thread->line_planes, at);
      if (mine == nullptr || !mine->word.has(thread->online->now, line_bytes_within(line, at, end))) break;
      at = line + kLineSize;
    }
    if (at == begin) shared_site(pc) = 0;
    return at < end ? at : end;
  }
  const uptr base = begin & ~(kCellBytes - 1);
  const uptr region_end = (base & ~(kRegion - 1)) + kRegion;
  const uptr last = end < region_end ? end : region_end;
  const u64 now = thread->online->now;
  const ReadPlanes::Word* const words = ReadPlanes::find(thread->planes, base);
  if (words == nullptr || !ReadPlanes::has(*words, now, bytes_within(base, begin, last))) {
    shared_site(pc) = 0;
    return begin;
  }
  const uptr more = last - base >= 2 * kCellBytes ? repeated_words(words + 1, (last - base) / kCellBytes - 1, now) : 0;
  const uptr next = base + (1 + more) * kCellBytes;
  return next < end ? next : end;
}

/// The cells from `base` on, as far as their words decide; [begin, end) is accessed. `log` is called before the first
/// change, if `logged` does not say that it was. Returns the place of the first cell that is left; at the latest the
/// end of the region.
template <bool write, class Log>
uptr Online::access_cells(ThreadState* thread, OnlineThread& state, uptr base, uptr begin, uptr end, uptr pc,
                          bool& logged, Log log) {
  Cell* cell = ShadowMap::find(base);
  if (OMEN_UNLIKELY(cell == nullptr)) return base;
  if (const uptr region_end = (base & ~(kRegion - 1)) + kRegion; OMEN_UNLIKELY(end > region_end)) end = region_end;
  const auto note = [&] {
    if (!logged) log();
    logged = true;
  };
  while (base < end) {
    const u64 wanted = bytes_within(base, begin, end);
    const uptr whole = wanted == kBytes ? (end - base) / kCellBytes : 1;  // from here on
    const u64 written = cell->write.load(std::memory_order_relaxed);
    const u64 read = cell->read.load(std::memory_order_relaxed);
    uptr done = 1;
    if (are_words_now(state.now, written, read, wanted, write)) {
      if (whole > 1) done = repeated_cells<write>(cell, whole, state.now);
    } else if (may_take<write>(state, written, read, wanted)) {
      if ((written | read) == 0) shadow_.prepare(base, base + whole * kCellBytes);
      note();
      if (wanted == kBytes) {
        done = take_cells<write>(state, cell, whole, written, read);
      } else {
        take<write>(state, *cell, written, read, wanted);
      }
    } else if (!write) {
      ReadPlanes::Word* mine = nullptr;
      const u64 next = next_in_plane(thread, written, read, base, wanted, mine);
      if (next == 0) return base;
      shared_site(pc) = kInCellPlane;
      const u64 earlier = mine->load(std::memory_order_relaxed);
      if (next != earlier) {
        note();
        // What is decided by another thread's plane is decided for one cell.
        const bool alike = wanted == kBytes && is_write_settled(state, written, wanted);
        done = read_cells_in_plane(cell, mine, alike ? whole : 1, written, read, earlier, next);
        if (done == 0) return base;
      }
    } else {
      return base;
    }
    base += done * kCellBytes;
    cell += done;
  }
  return base;
}

}  // namespace omen::rt::online
