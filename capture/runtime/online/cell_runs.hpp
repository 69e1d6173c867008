/// \file
/// Ranges: cells side by side, of which a look at their words decides, as with a single access (first_access.hpp). Most
/// of a range looks alike, since it was accessed as a range before: what is decided for a cell is done to all that
/// follow with the same words.
#pragma once

#include "capture/runtime/online/first_access.hpp"

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
  if (!write && shared_site(pc) != 0) {
    const ReadPlanes::Word* const words = ReadPlanes::find(thread->planes, base);
    uptr known = 0;
    if (words != nullptr && ReadPlanes::has(*words, state.now, bytes_within(base, begin, end))) {
      known =
          end - base >= 2 * kCellBytes ? 1 + repeated_words(words + 1, (end - base) / kCellBytes - 1, state.now) : 1;
    }
    if (known == 0) shared_site(pc) = 0;
    base += known * kCellBytes;
    cell += known;
  }
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
      shared_site(pc) = 1;
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
