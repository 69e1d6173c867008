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

/// Holds the line's lock. False: the line is in cells.
OMEN_INLINE bool lock_line(Line& line) {
  for (u32 tries = 0;; wait_for_line(tries)) {
    const u64 seen = line.write.epoch();
    if ((seen & kInCells) != 0) return false;
    if ((seen & kLockBit) == 0 && line.write.lock(seen)) return true;
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

/// A line whose words decide. `log` is called before it is changed. False: nothing has been done, and the line is in
/// cells now.
template <class Log>
OMEN_INLINE bool Online::access_line(OnlineThread& state, Line& line, uptr base, u64 wanted, bool write, Log log) {
  if (OMEN_UNLIKELY(recorder.recording() || !lines_are_used_)) {
    open_line(line, base);
    return false;
  }
  if (line.is_empty()) lines_.prepare(base);
  if (!lock_line(line)) return false;
  const LineWord written = locked_write(line);
  const LineWord read = live_read(written, line.load_read());
  const LineWord& mine = write ? written : read;
  if (lines_.is_mixed(base) && !is_own(state, mine.epoch) && (mine.touched() & ~wanted) != 0) {
    open_locked_line(line, base);
    return false;
  }
  if ((read.epoch & kPlanesBit) != 0 || !is_line_all_settled(state, written, read, wanted, write)) {
    const bool done = write ? write_line_together(state, line, base, written, read, wanted, Action(log))
                            : read_line_together(state, line, base, written, read, wanted, Action(log));
    if (!done) {
      lines_.set_mixed(base);
      open_locked_line(line, base);
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

/// A single access that lies in one line. False: the line is in cells.
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
  if (line.is_in_cells()) return false;
  look_at_memory(state);
  const Busy busy(thread);
  return access_line(state, line, address & ~(kLineSize - 1), wanted, write, [&] {
    state.log->add(address, bytes, write ? Did::Write : Did::Read, recorder.place_at(thread, pc), time_in(state.now));
  });
}

/// The lines of [begin, end) from `base` on, as far as their words decide: the place of the first one that is in cells,
/// or `end`.
template <bool write, class Log>
uptr Online::access_lines(ThreadState* thread, uptr base, uptr begin, uptr end, Log log) {
  OnlineThread& state = *thread->online;
  Line* line = nullptr;
  for (; base < end; base += kLineSize, ++line) {
    if (line == nullptr || base % kRegion == 0) {
      line = lines_.at(base);
      if (OMEN_UNLIKELY(line == nullptr)) return end;
    }
    const u64 wanted = line_bytes_within(base, begin, end);
    if (is_repeated_in_line<write>(*line, state.now, wanted)) {
      count(state, write ? Rule::WriteSameEpoch : Rule::ReadSameEpoch);
      continue;
    }
    if (OMEN_LIKELY(!stats_ && !recorder.recording() && lines_are_used_)) {
      if (line->is_empty()) lines_.prepare(base);
      const LineWord written = line->load_write();
      const LineWord read = live_read(written, line->load_read());
      if (may_take_line<write>(state, written, read, wanted)) {
        log();
        take_line<write>(state, *line, written, read, wanted);
        continue;
      }
      if (!write && (read.epoch & kPlanesBit) != 0) {
        const auto logged = [&] { return log(), true; };
        if (read_line_first_in_plane(thread, *line, base, wanted, state.doing.pc, logged) == First::Done) continue;
      }
    }
    if (line->is_in_cells() || !access_line(state, *line, base, wanted, write, log)) return base;
  }
  return end;
}

template uptr Online::access_lines<true, Action>(ThreadState*, uptr, uptr, uptr, Action);
template uptr Online::access_lines<false, Action>(ThreadState*, uptr, uptr, uptr, Action);

/// The line at `base` is locked: its cells have what it had, and tell from now on.
void Online::open_locked_line(Line& line, uptr base) {
  const LineWord written = locked_write(line);
  const LineWord read = live_read(written, line.load_read());
  Cell* const cells = shadow_.at(base);
  if (OMEN_UNLIKELY(cells == nullptr)) {  // no memory: what the line had is lost
    line.store_read({});
    line.store_write({});
    return;
  }
  shadow_.prepare(base);
  lines_.note_names(base, LineMap::kNamesCells);
  const bool shared = (read.epoch & kPlanesBit) != 0;
  for (u32 i = 0; i < kCellsOfLine; ++i) {
    Cell& cell = cells[i];
    // Left by who came in the same moment as the line was closed.
    if ((cell.write.load(std::memory_order_relaxed) | cell.read.load(std::memory_order_relaxed)) != 0) {
      clear_cell(cell, kBytes, base + i * kCellBytes);
    }
    const u64 read_word = shared ? open_line_planes(read.epoch, base, i) : cell_word(read, i);
    count_names(base, 0, 0, 0, read_word);
    cell.read.store(read_word, std::memory_order_relaxed);
    cell.write.store(cell_word(written, i), std::memory_order_release);
  }
  if (shared) clear_line_planes(read.epoch, base, ~u64{0});
  line.store_read({});
  line.store_write({kInCells, 0, 0});
}

void Online::open_line(Line& line, uptr base) {
  if (line.is_empty()) lines_.prepare(base);
  if (lock_line(line)) open_locked_line(line, base);
}

/// The cell of an address, which tells from now on. Null: there is no memory.
Cell* Online::open_cell(uptr address) {
  Line* const line = lines_.at(address);
  if (OMEN_UNLIKELY(line == nullptr)) return nullptr;
  if (!line->is_in_cells()) open_line(*line, address & ~(kLineSize - 1));
  return shadow_.at(address);
}

/// The bytes of a line have no history any more. What is the thread's own is changed without the lock.
void Online::clear_line(const OnlineThread& state, Line& line, u64 bytes, uptr base) {
  if (!line.is_in_cells()) {
    const LineWord seen = line.load_write();
    const LineWord seen_read = line.load_read();
    if (((seen.epoch & (kLockBit | kInCells)) | (seen_read.epoch & kPlanesBit)) == 0) {
      if (((seen.touched() | seen_read.touched()) & bytes) == 0) return;
      if (bytes == ~u64{0} || (is_own(state, seen.epoch) && is_own(state, seen_read.epoch))) {
        line.store_read(line_without(seen_read, bytes));
        line.store_write(line_without(seen, bytes));
        return;
      }
    }
    if (lock_line(line)) {
      const LineWord written = locked_write(line);
      const LineWord read = line.load_read();
      if ((read.epoch & kPlanesBit) == 0) {
        line.store_read(line_without(read, bytes));
      } else if (!clear_line_planes(read.epoch, base, bytes)) {
        line.store_read({});
      }
      line.store_write(line_without(written, bytes));
      return;
    }
  }
  Cell* const cells = ShadowMap::find(base);
  u64 left = 0;
  for (u32 i = 0; i < kCellsOfLine; ++i) {
    const u64 part = bytes >> (i * kCellBytes) & kBytes;
    Cell& cell = cells[i];
    const auto words = [&] {
      return cell.write.load(std::memory_order_relaxed) | cell.read.load(std::memory_order_relaxed);
    };
    if (part != 0 && words() != 0 && (part != kBytes || !cell.forget())) clear_cell(cell, part, base + i * kCellBytes);
    left |= words();
  }
  if (left == 0 && lines_are_used_ && !recorder.recording()) line.store_write({});
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
