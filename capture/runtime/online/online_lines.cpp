/// \file
/// Accesses to lines, as long as their words decide; how a line is opened to its cells, and closed again.
#include "capture/runtime/online/line_access.hpp"
#include "capture/runtime/online/online.hpp"
#include "capture/runtime/recorder.hpp"

namespace omen::rt::online {

constinit uptr line_regions[kRegions] = {};

namespace {

OMEN_INLINE void wait_for_line(u32& tries) {
  if (++tries > 100) {
    yield_cpu();
  } else {
    __builtin_ia32_pause();
  }
}

/// From now on the caller holds the line's lock.
OMEN_INLINE void lock_line(Line& line) {
  for (u32 tries = 0;; wait_for_line(tries)) {
    const u64 seen = line.write.epoch();
    if ((seen & kLockBit) == 0 && line.write.lock(seen)) return;
  }
}
/// The write word of a line that is locked.
OMEN_INLINE LineWord locked_write(const Line& line) {
  LineWord word = line.load_write();
  word.epoch &= ~kLockBit;
  return word;
}

}  // namespace

/// A word of another thread gives way to one of the thread's own: what it said of other bytes is kept in the log.
void Online::log_replaced_line(OnlineThread& state, uptr base, const LineWord& word, u64 wanted, bool write) {
  if (OMEN_LIKELY(is_own(state, word.epoch))) return;
  const auto keep = [&](u64 bytes, u64 bound) {
    if (bytes == 0) return;
    ++state.other_records;
    state.log->add_replaced_line(base, bytes, write, without_bytes(word.epoch) | bound);
  };
  keep(word.bytes & ~wanted, 0);
  keep(word.older & ~(word.bytes | wanted), kBound);
}

/// A line whose words decide. `log` is called before it is changed. False: nothing has been done, and some of these
/// bytes are in cells now.
template <class Log>
OMEN_INLINE bool Online::access_line(OnlineThread& state, Line& line, uptr base, u64 wanted, bool write, Log log) {
  if (OMEN_UNLIKELY(recorder.recording() || !lines_are_used_)) {
    open_line(line, base, ~u64{0});
    return false;
  }
  if (line.is_empty()) lines_.prepare(base);
  lock_line(line);
  const LineWord written = locked_write(line);
  if (line.is_open(wanted)) {
    line.store_write(written);
    return false;
  }
  const LineWord read = live_read(written, line.load_read());
  const LineWord& mine = write ? written : read;
  if (lines_.is_mixed(base) && !is_own(state, mine.epoch) && (mine.touched() & ~wanted) != 0) {
    open_locked_line(line, base, wanted);
    return false;
  }
  if ((read.epoch & kPlanesBit) != 0 || !is_line_all_settled(state, written, read, wanted, write)) {
    const bool done = write ? write_line_together(state, line, base, written, read, wanted, Action(log))
                            : read_line_together(state, line, base, written, read, wanted, Action(log));
    if (!done) {
      lines_.set_mixed(base);
      open_locked_line(line, base, wanted);
    }
    return done;
  }
  if (OMEN_UNLIKELY(stats_)) {
    const bool own = is_own(state, (read.touched() & wanted) != 0 ? read.epoch : written.epoch);
    state.counters.count(rule_of(write, own));
  }
  log();
  if (write) {
    log_replaced_line(state, base, written, wanted, true);
    line.store_read(line_without(read, wanted));
    line.store_write(line_taken(state, written, wanted));
  } else {
    log_replaced_line(state, base, read, wanted, false);
    line.store_read(line_taken(state, read, wanted));
    line.store_write(written);
  }
  return true;
}

/// A single access that lies in one line. False: all of it is in cells.
bool Online::access_in_line(ThreadState* thread, Line& line, uptr address, u32 bytes, bool write, uptr pc) {
  OnlineThread& state = *thread->online;
  const u64 wanted = line_bytes_at(address % kLineSize, bytes);
  if (OMEN_UNLIKELY(stats_)) {
    if (write ? is_repeated_in_line<true>(line, state.now, wanted)
              : is_repeated_in_line<false>(line, state.now, wanted)) {
      state.counters.count(write ? Rule::WriteSameEpoch : Rule::ReadSameEpoch);
      return true;
    }
  }
  const uptr base = address & ~(kLineSize - 1);
  if ((wanted & ~line.opened()) == 0) return false;
  look_at_memory(state);
  const Busy busy(thread);
  const bool done = access_line(state, line, base, wanted, write, [&] {
    state.log->add(address, bytes, write ? Did::Write : Did::Read, recorder.place_at(thread, pc), time_in(state.now));
  });
  if (!done && (wanted & ~line.opened()) != 0) open_line(line, base, wanted);
  return done;
}

/// A line of which a look decides, without its lock. False: nothing has been done.
template <bool write, class Log>
OMEN_INLINE bool Online::access_line_quickly(ThreadState* thread, Line& line, uptr base, u64 wanted, Log log) {
  OnlineThread& state = *thread->online;
  if (is_repeated_in_line<write>(line, state.now, wanted)) {
    count(state, write ? Rule::WriteSameEpoch : Rule::ReadSameEpoch);
    return true;
  }
  if (OMEN_UNLIKELY(stats_ || recorder.recording() || !lines_are_used_)) return false;
  if (line.is_empty()) lines_.prepare(base);
  const LineWord written = line.load_write();
  const LineWord read = live_read(written, line.load_read());
  if (may_take_line<write>(state, written, read, wanted)) {
    log();
    take_line<write>(state, line, written, read, wanted);
    return true;
  }
  const auto logged = [&] { return log(), true; };
  if ((read.epoch & kPlanesBit) != 0) {
    return !write && read_line_first_in_plane(thread, line, base, wanted, state.doing.pc, logged) == First::Done;
  }
  return (written.epoch | read.epoch) != 0 && !line.is_open(wanted) &&
         take_line_over<write>(state, line, base, written, read, wanted, logged) == First::Done;
}

/// The lines of [begin, end), as far as their words decide: `end`, or the base of the first line that has some of it in
/// cells, for which they are to be asked. What it has of it itself is done.
template <bool write, class Log>
uptr Online::access_lines(ThreadState* thread, uptr begin, uptr end, Log log) {
  OnlineThread& state = *thread->online;
  Line* line = nullptr;
  for (uptr base = begin & ~(kLineSize - 1); base < end; base += kLineSize, ++line) {
    if (line == nullptr || base % kRegion == 0) {
      line = lines_.at(base);
      if (OMEN_UNLIKELY(line == nullptr)) return end;
    }
    const u64 all = line_bytes_within(base, begin, end);
    u64 wanted = all & ~line->opened();
    if (wanted != 0 && !access_line_quickly<write>(thread, *line, base, wanted, log)) {
      // In the same moment others may open more of it.
      while (!access_line(state, *line, base, wanted, write, log)) {
        wanted = all & ~line->opened();
        if (wanted == 0) break;
      }
    }
    if (wanted != all) return base;
  }
  return end;
}

template uptr Online::access_lines<true, Action>(ThreadState*, uptr, uptr, Action);
template uptr Online::access_lines<false, Action>(ThreadState*, uptr, uptr, Action);

/// The line at `base` is locked: the cells of these bytes have what it had of them, and tell from now on.
void Online::open_locked_line(Line& line, uptr base, u64 bytes) {
  const LineWord written = locked_write(line);
  const LineWord read = live_read(written, line.load_read());
  const bool shared = (read.epoch & kPlanesBit) != 0;
  const u64 opening = whole_cells(bytes) & ~line.opened();
  Cell* const cells = shadow_.at(base);
  if (OMEN_LIKELY(cells != nullptr)) {  // else there is no memory: what the line had is lost
    shadow_.prepare(base);
    lines_.note_names(base, LineMap::kNamesCells);
  }
  for (u32 i = 0; cells != nullptr && i < kCellsOfLine; ++i) {
    if ((opening >> (i * kCellBytes) & kBytes) == 0) continue;
    Cell& cell = cells[i];
    // Left by who came in the same moment as the cell was closed.
    if (!cell.is_empty()) clear_cell(cell, kBytes, base + i * kCellBytes);
    const u64 read_word = shared ? open_line_planes(read.epoch, base, i) : cell_word(read, i);
    count_names(base, 0, 0, 0, read_word);
    cell.read.store(read_word, std::memory_order_relaxed);
    cell.write.store(cell_word(written, i), std::memory_order_release);
  }
  line.open(opening);
  if (!shared) {
    line.store_read(line_without(read, opening));
  } else if (!clear_line_planes(read.epoch, base, opening)) {
    line.store_read({});
  }
  line.store_write(line_without(written, opening));
}

void Online::open_line(Line& line, uptr base, u64 bytes) {
  if (line.is_empty()) lines_.prepare(base);
  lock_line(line);
  open_locked_line(line, base, bytes);
}

/// The cell of an address, which tells from now on. Null: there is no memory.
Cell* Online::open_cell(uptr address) {
  Line* const line = lines_.at(address);
  if (OMEN_UNLIKELY(line == nullptr)) return nullptr;
  const u64 bytes = line_bytes_at(address % kLineSize, 1);
  if (!line->is_open(bytes)) {
    const bool alone = recorder.recording() || !lines_are_used_;
    open_line(*line, address & ~(kLineSize - 1), alone ? ~u64{0} : bytes);
  }
  return shadow_.at(address);
}

/// The bytes of a line have no history any more. What is the thread's own is changed without the lock.
void Online::clear_line(const OnlineThread& state, Line& line, u64 bytes, uptr base) {
  if (line.is_open(bytes)) clear_opened(line, bytes, base);
  const LineWord seen = line.load_write();
  const LineWord seen_read = line.load_read();
  if (((seen.epoch & kLockBit) | (seen_read.epoch & kPlanesBit)) == 0) {
    if (((seen.touched() | seen_read.touched()) & bytes) == 0) return;
    if (bytes == ~u64{0} || (is_own(state, seen.epoch) && is_own(state, seen_read.epoch))) {
      line.store_read(line_without(seen_read, bytes));
      line.store_write(line_without(seen, bytes));
      return;
    }
  }
  lock_line(line);
  const LineWord written = locked_write(line);
  const LineWord read = line.load_read();
  if ((read.epoch & kPlanesBit) == 0) {
    line.store_read(line_without(read, bytes));
  } else if (!clear_line_planes(read.epoch, base, bytes)) {
    line.store_read({});
  }
  line.store_write(line_without(written, bytes));
}

/// The same of cells that are open; those that are empty then are closed.
void Online::clear_opened(Line& line, u64 bytes, uptr base) {
  Cell* const cells = ShadowMap::find(base);
  if (OMEN_UNLIKELY(cells == nullptr)) return;
  const bool closes = lines_are_used_ && !recorder.recording();
  u64 empty = 0;
  for (u32 i = 0; i < kCellsOfLine; ++i) {
    const u64 part = (bytes & line.opened()) >> (i * kCellBytes) & kBytes;
    if (part == 0) continue;
    Cell& cell = cells[i];
    if (!cell.is_empty() && (part != kBytes || !cell.forget())) clear_cell(cell, part, base + i * kCellBytes);
    if (cell.is_empty()) empty |= kBytes << (i * kCellBytes);
  }
  if (closes && empty != 0) line.close(empty);
}

/// All lines of [begin, end), which is in one leaf.
void Online::clear_lines(const OnlineThread& state, uptr begin, uptr end) {
  Line* line = LineMap::find(begin);
  for (uptr base = begin & ~(kLineSize - 1); base < end; base += kLineSize, ++line) {
    if (!line->is_empty()) clear_line(state, *line, line_bytes_within(base, begin, end), base);
  }
}

/// The memory begins or ends its life. Nobody may use it now, so nobody is to be waited for.
void Online::clear_memory(const OnlineThread& state, uptr begin, uptr end) {
  constexpr uptr kLeaf = ShadowMap::kLeaf;
  for (uptr at = begin; at < end;) {
    const uptr next_leaf = (at & ~(kLeaf - 1)) + kLeaf;
    const uptr whole_end = end & ~(kLeaf - 1);
    if (LineMap::find(at) == nullptr) {
      at = next_leaf;
    } else if (at % kLeaf != 0 || at >= whole_end) {
      const uptr to = next_leaf < end ? next_leaf : end;
      clear_lines(state, at, to);
      at = to;
    } else {
      const uptr region_end = (at & ~(kRegion - 1)) + kRegion;
      const uptr to = whole_end < region_end ? whole_end : region_end;
      clear_leaves(state, at, to);
      at = to;
    }
  }
}

/// Whole leaves, in one region.
void Online::clear_leaves(const OnlineThread& state, uptr begin, uptr end) {
  constexpr uptr kLeaf = ShadowMap::kLeaf;
  uptr cells_from = 0;  // what has cells is cleared together, to be given back together
  const auto clear_cells_until = [&](uptr to) {
    if (cells_from == 0) return;
    shadow_.clear(cells_from, to, [&](Cell& cell, u64 part, uptr base) {
      if (part != kBytes || !cell.forget()) clear_cell(cell, part, base);
    });
    cells_from = 0;
  };
  for (uptr leaf = begin; leaf < end; leaf += kLeaf) {
    const u8 names = lines_.take_names(leaf);
    if ((names & LineMap::kNamesPlanes) != 0) clear_lines(state, leaf, leaf + kLeaf);
    if ((names & LineMap::kNamesCells) == 0) {
      clear_cells_until(leaf);
    } else if (cells_from == 0) {
      cells_from = leaf;
    }
  }
  clear_cells_until(end);
  lines_.clear_leaves(begin, end);
}

}  // namespace omen::rt::online
