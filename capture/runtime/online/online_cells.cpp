/// \file
/// Accesses and the cells they meet, as long as a look at the cell decides.
#include "capture/runtime/online/online.hpp"

#include "capture/runtime/online/cell_runs.hpp"
#include "capture/runtime/online/first_access.hpp"
#include "capture/runtime/online/settling.hpp"
#include "capture/runtime/recorder.hpp"

namespace omen::rt::online {

constinit Online online;
constinit ReadVectors read_vectors;
constinit uptr shadow_regions[kRegions] = {};

bool is_hazard(ReadVectors::Number number) {
  return online.is_hazard(number);
}
u32 slots_in_use() {
  return online.slots_in_use();
}
u64 begin_of_epoch(Epoch epoch) {
  return online.begin_of_epoch(epoch);
}

u64 Online::begin_of_epoch(Epoch epoch) const {
  const ThreadSlot::Stamp* const stamp = slots_[index(epoch.thread)].stamp_of(epoch.time);
  return stamp == nullptr ? 0 : stamp->began.load(std::memory_order_relaxed);
}

bool Online::is_hazard(ReadVectors::Number number) const {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  for (u32 i = 0; i < slot_count_; ++i) {
    if (slots_[i].hazard.load(std::memory_order_seq_cst) == number) return true;
  }
  return false;
}

namespace {

constexpr bool writes(Did what) {
  return what != Did::Read && what != Did::AtomicRead;
}

/// How many; they stand side by side.
OMEN_INLINE u32 bytes_of(u64 wanted) {
  return 64 - static_cast<u32>(__builtin_clzll(wanted)) - static_cast<u32>(__builtin_ctzll(wanted));
}

}  // namespace

/// An access of any length goes into the log.
void Online::log_range(OnlineThread& state, uptr address, u64 bytes, Did what, Place where) {
  for (u64 done = 0; done < bytes; done += AccessLog::kLongest) {
    const u64 part = bytes - done < AccessLog::kLongest ? bytes - done : AccessLog::kLongest;
    state.log->add(address + done, part, what, where, time_in(state.now));
  }
}

/// The first cell of an access that changes its cell: now it is remembered.
OMEN_NOINLINE void Online::note_first(ThreadState* thread, OnlineThread& state) {
  Doing& doing = state.doing;
  doing.noted = true;
  doing.where = recorder.place_at(thread, doing.pc);
  log_range(state, doing.address, doing.bytes, doing.what, doing.where);
}

/// An access that changes a cell is remembered.
OMEN_INLINE void Online::log_access(ThreadState* thread, uptr address, u64 bytes, bool write, uptr pc) {
  OnlineThread& state = *thread->online;
  state.log->add(address, bytes, write ? Did::Write : Did::Read, recorder.place_at(thread, pc), time_in(state.now));
}

// The shortcut. A thread changes words of its own without the lock, and those of which all is settled for it
// (first_access.hpp). If another thread accesses the cell in the same moment, one of the two may not see the other, and
// what one of them left in the cell may be lost. No word in a cell ever says something untrue, so nothing false is
// reported; a race may be missed there and then, and is met at the next access. Memory that nobody has accessed in its
// life has no owner: there two threads may well meet, and both take the lock. (Ranges do not, and accesses of two
// cells: much of what they touch is new.) Where the run is recorded too, there is no shortcut.

/// One cell that is settled by its words. `log` is called before the cell is changed. False: nothing has been done.
template <class Log>
OMEN_INLINE bool Online::access_settled(OnlineThread& state, Cell& cell, uptr base, u64 wanted, bool write, Log log) {
  u64 seen = cell.write.load(std::memory_order_acquire);
  const u64 read = cell.read.load(std::memory_order_acquire);
  if (((seen & (kSplitBit | kLockBit)) | (read & kVectorBit)) != 0 || (!write && (read & kPlanesBit) != 0))
    return false;
  u64 next_write = seen;
  u64 next_read = read;
  const bool shortcut = (seen | read) != 0 && is_own(state, read) && (!write || is_own(state, seen));
  const bool settled = shortcut && settle(state, next_write, next_read, wanted, write);
  if (shortcut && !settled && !(write && state.own_epochs.exists())) return false;
  if (OMEN_LIKELY(settled)) {
    log();
    if (next_read != read) cell.read.store(next_read, std::memory_order_relaxed);
    if (write) cell.write.store(next_write, std::memory_order_release);
  } else {
    if (!cell.write.compare_exchange_strong(seen, seen | kLockBit, std::memory_order_acquire,
                                            std::memory_order_relaxed)) {
      return false;
    }
    const u64 locked_read = next_read = cell.read.load(std::memory_order_relaxed);
    const bool in_planes = (locked_read & kPlanesBit) != 0;
    next_write = seen;
    if ((locked_read & kVectorBit) != 0 || (in_planes && !write) ||
        !(in_planes ? settle_planes(state, base, next_write, next_read, wanted)
                    : settle(state, next_write, next_read, wanted, write) ||
                          (write && write_keeping(state, base, next_write, next_read, wanted)))) {
      unlock_cell(cell, seen);
      return false;
    }
    if (((locked_read | next_read) & kPlanesBit) != 0) count_names(base, seen, locked_read, next_write, next_read);
    log_replaced(state, base, write ? seen : locked_read, write ? next_write : next_read, write);
    log();
    cell.read.store(next_read, std::memory_order_relaxed);
    unlock_cell(cell, next_write);
  }
  if (OMEN_UNLIKELY(stats_)) {
    const bool own = slot_in((touched_in(read) & wanted) != 0 ? read : seen) == state.slot;
    state.counters.count((read & kPlanesBit) != 0 ? Rule::WriteShared : rule_of(write, own));
  }
  return true;
}

/// As `access_settled`, for a whole cell that is nobody's or the thread's own.
template <class Log>
OMEN_INLINE bool Online::access_whole(const OnlineThread& state, Cell& cell, bool write, Log log) {
  const u64 seen = cell.write.load(std::memory_order_relaxed);
  const u64 read = cell.read.load(std::memory_order_relaxed);
  if (!state.is_own_and_settled(read) || !state.is_own_and_settled(seen)) return false;
  log();
  if (!write) {
    cell.read.store(state.now, std::memory_order_relaxed);
    return true;
  }
  if (read != 0) cell.read.store(0, std::memory_order_relaxed);
  cell.write.store(state.now, std::memory_order_release);
  return true;
}

/// Accesses of any length: what the words of lines decide, and the rest by cells.
void Online::access_slowly(ThreadState* thread, uptr address, u64 bytes, Did what, uptr pc) {
  if (thread->busy != 0 || thread->ignore_access != 0 || thread->watch == ThreadState::Watch::Alone || bytes == 0 ||
      address + bytes < address)
    return;
  OnlineThread* const state = thread->online;
  if (state == nullptr || off_) return;
  const uptr end = address + bytes;
  uptr at = address;
  bool logged = false;
  constexpr u64 kShort = 16 * kLineSize;
  const bool is_short = bytes <= kShort && pc != 0 && is_quick(thread) && LineMap::find(at) != nullptr &&
                        address % kRegion + bytes <= kRegion;
  const Place where = is_short ? recorder.place_at(thread, pc) : Place{};
  if (is_short && where.frame != 0) {
    const auto log = [&] {
      state->log->add(address, bytes, what, where, time_in(state->now));
      logged = true;
    };
    at = writes(what) ? access_own_lines<true>(*state, at, end, log) : access_own_lines<false>(*state, at, end, log);
    if (OMEN_LIKELY(at == end)) return;
  }
  const Busy busy(thread);
  look_at_memory(*state);
  state->doing = {address, bytes, what, pc};
  if (logged) {
    state->doing.noted = true;
    state->doing.where = where;
  }
  const auto note = [&] { note_access(thread, *state); };
  const Action log(note);
  if (!writes(what) && shared_site(pc) != 0 && !recorder.recording() && !stats_) {
    at = skip_shared_reads(thread, at, end, pc);
  }
  while (at < end) {
    const uptr base =
        writes(what) ? access_lines<true>(thread, at, end, log) : access_lines<false>(thread, at, end, log);
    if (OMEN_LIKELY(base >= end)) return;
    const u64 opened = LineMap::find(base)->opened();
    uptr next = base + kLineSize;
    if (~opened == 0) {
      while (next < end) {  // what follows is often all open too
        const Line* const line = LineMap::find(next);
        if (line == nullptr || ~line->opened() != 0) break;
        next += kLineSize;
      }
      access_cells_slowly(thread, *state, base > at ? base : at, next < end ? next : end);
    } else {
      access_opened(thread, *state, base, line_bytes_within(base, at, end) & opened);
    }
    at = next;
  }
}

/// Bytes of a line that are in cells, and part of what the thread is doing.
void Online::access_opened(ThreadState* thread, OnlineThread& state, uptr base, u64 wanted) {
  for_each_run(base, wanted, [&](uptr begin, u32 bytes) { access_cells_slowly(thread, state, begin, begin + bytes); });
}

/// [begin, end) is in cells, and part of what the thread is doing.
void Online::access_cells_slowly(ThreadState* thread, OnlineThread& state, uptr begin, uptr end) {
  const bool write = writes(state.doing.what);
  const bool quickly = !recorder.recording();
  const uptr pc = state.doing.pc;
  const auto log = [&] { note_access(thread, state); };
  Cell* cell = nullptr;
  for (uptr base = begin & ~(kCellBytes - 1); base < end; base += kCellBytes, ++cell) {
    if (cell == nullptr || base % kRegion == 0) {
      cell = shadow_.at(base);
      if (cell == nullptr) return;
      const uptr region_end = (base & ~(kRegion - 1)) + kRegion;
      shadow_.prepare(base, end < region_end ? end : region_end);
    }
    const u64 wanted = bytes_within(base, begin, end);
    if (OMEN_LIKELY(quickly)) {
      if (!stats_) {
        const uptr next = write ? access_cells<true>(thread, state, base, begin, end, pc, state.doing.noted, log)
                                : access_cells<false>(thread, state, base, begin, end, pc, state.doing.noted, log);
        if (next != base) {
          if (next >= end) return;
          base = next - kCellBytes;  // the loop goes on with the next one
          cell = shadow_.at(base);
          continue;
        }
      }
      if (is_in_words(state.now, *cell, wanted, write)) {
        count(state, write ? Rule::WriteSameEpoch : Rule::ReadSameEpoch);
        continue;
      }
      if (access_settled(state, *cell, base, wanted, write, log)) continue;
    }
    access_cell(thread, *cell, base, wanted);
  }
}

void Online::access(ThreadState* thread, uptr address, u32 bytes, bool write, uptr pc) {
  if (OMEN_UNLIKELY(thread->busy != 0 || thread->ignore_access != 0 || thread->online == nullptr || off_)) return;
  if (OMEN_UNLIKELY(thread->planes == nullptr || thread->line_planes == nullptr) && is_quick(thread)) {
    const u32 slot = thread->online->slot;
    set_planes(thread, read_planes.plane(slot), line_planes.plane(slot));
  }
  if (OMEN_UNLIKELY(address % kLineSize + bytes > kLineSize)) {
    return access_slowly(thread, address, bytes, write ? Did::Write : Did::Read, pc);
  }
  Line* const line = lines_.at(address);
  if (OMEN_UNLIKELY(line == nullptr) || access_in_line(thread, *line, address, bytes, write, pc)) return;
  access_in_cells(thread, address, bytes, write, pc);
}

/// An access in one line, where it is in cells.
void Online::access_in_cells(ThreadState* thread, uptr address, u32 bytes, bool write, uptr pc) {
  const u32 offset = address % kCellBytes;
  Cell* const cell = ShadowMap::find(address);
  if (OMEN_LIKELY(offset + bytes <= kCellBytes)) {
    const u64 wanted = bytes_at(offset, bytes);
    if (!write && cell != nullptr && is_quick(thread) && is_shared_now(thread->cell_now, *cell, address, wanted))
      return;
    access_anew(thread, cell, address, wanted, write, pc);
  } else if (OMEN_LIKELY(offset + bytes <= 2 * kCellBytes)) {
    access_pair_anew(thread, cell, address, (kBytes << offset) & kBytes, kBytes >> (2 * kCellBytes - offset - bytes),
                     write, pc);
  } else {
    access_slowly(thread, address, bytes, write ? Did::Write : Did::Read, pc);
  }
}

/// Reads of several threads, where the last write is settled, or at least ordered.
template <class Log>
OMEN_INLINE bool Online::access_together(OnlineThread& state, Cell& cell, uptr base, u64 wanted, Log log) {
  const u64 seen = cell.write.load(std::memory_order_acquire);
  if ((seen & (kLockBit | kSplitBit)) != 0) return false;
  if (OMEN_UNLIKELY(!is_settled_for(state, seen, wanted))) {
    if (has_read_together(state, cell, base, wanted)) {
      log();
      return read_plane(state, cell, base, seen, cell.read.load(std::memory_order_acquire), wanted);
    }
    if (!is_ordered_for_read(state, seen, wanted)) return false;
    log();
    return read_after_ordered(state, cell, base, seen, wanted);
  }
  log();
  return read_together(state, cell, base, seen, cell.read.load(std::memory_order_acquire), wanted);
}

/// [Read Shared Owned] with happens-before: the thread has read these bytes since they were written. If that raced it
/// has been told, and is not told again.
bool Online::has_read_together(const OnlineThread& state, const Cell& cell, uptr base, u64 wanted) const {
  const u64 read = cell.read.load(std::memory_order_acquire);
  if (!is_happens_before_ || (read & kPlanesBit) == 0 || state.slot >= ReadPlanes::kMost ||
      (read & reader_bit(state.slot)) == 0) {
    return false;
  }
  const ReadPlanes::Word* const mine = read_planes.find(state.slot, base);
  return mine != nullptr && (wanted & ~touched_in(mine->load(std::memory_order_relaxed))) == 0;
}

/// In the order of what it costs: everything settled; a shared read; the analysis.
void Online::access_anew(ThreadState* thread, Cell* cell, uptr address, u64 wanted, bool write, uptr pc) {
  if (OMEN_UNLIKELY(thread->busy != 0 || thread->ignore_access != 0 || thread->online == nullptr || off_)) return;
  OnlineThread& state = *thread->online;
  if (OMEN_LIKELY(cell != nullptr && !recorder.recording())) {
    look_at_memory(state);
    if (OMEN_UNLIKELY(stats_) && is_in_words(state.now, *cell, wanted, write)) {  // which nobody has asked yet
      return state.counters.count(write ? Rule::WriteSameEpoch : Rule::ReadSameEpoch);
    }
    const Busy busy(thread);
    const auto log = [&] { log_access(thread, address, bytes_of(wanted), write, pc); };
    if (OMEN_LIKELY(access_settled(state, *cell, address & ~(kCellBytes - 1), wanted, write, log))) return;
    if (!write && access_together(state, *cell, address & ~(kCellBytes - 1), wanted, log)) return;
    if (const u64 seen = cell->write.load(std::memory_order_acquire); (seen & kSplitBit) != 0) {
      if (is_split_now(state, *cell, seen, wanted, write)) {
        if (!write) hint_at_repetition(state, *cell, wanted);
        return count(state, write ? Rule::WriteSameEpoch : Rule::ReadSameEpoch);
      }
      if (settle_split(state, *cell, address & ~(kCellBytes - 1), seen, wanted, write, log)) return;
    }
  }
  access_slowly(thread, address, bytes_of(wanted), write ? Did::Write : Did::Read, pc);
}

/// Two cells, side by side, that are settled by their words; otherwise as any access. `first` and `second` are the
/// bytes that are wanted of each.
void Online::access_pair_anew(ThreadState* thread, Cell* cell, uptr address, u64 first, u64 second, bool write,
                              uptr pc) {
  const u64 bytes = bytes_of(first) + bytes_of(second);
  if (OMEN_LIKELY(cell != nullptr && thread->busy == 0 && thread->ignore_access == 0 && thread->online != nullptr &&
                  !off_ && !recorder.recording())) {
    OnlineThread& state = *thread->online;
    const Busy busy(thread);
    bool logged = false;
    const auto log = [&] {
      if (!logged) log_access(thread, address, bytes, write, pc);
      logged = true;
    };
    const uptr base = address & ~(kCellBytes - 1);
    const auto done = [&](u32 i, u64 wanted) {
      return is_same_epoch(thread, cell[i], base + i * kCellBytes, wanted, write) ||
             (wanted == kBytes && !stats_ && access_whole(state, cell[i], write, log)) ||
             access_settled(state, cell[i], base + i * kCellBytes, wanted, write, log) ||
             (!write && access_together(state, cell[i], base + i * kCellBytes, wanted, log));
    };
    if (done(0, first) && done(1, second)) return;
  }
  access_slowly(thread, address, bytes, write ? Did::Write : Did::Read, pc);
}

/// One cell of an access of any length; `doing` is set.
void Online::access_cell(ThreadState* thread, Cell& cell, uptr base, u64 wanted) {
  OnlineThread& state = *thread->online;
  const bool write = writes(state.doing.what);
  const u64 seen = cell.write.load(std::memory_order_acquire);
  const u64 read = cell.read.load(std::memory_order_acquire);
  if (is_now(seen, state.now, wanted)) return count(state, write ? Rule::WriteSameEpoch : Rule::ReadSameEpoch);
  if (!write) {
    if (is_now(read, state.now, wanted)) return count(state, Rule::ReadSameEpoch);
    if (is_shared_now(state.now, cell, base, wanted)) return count(state, Rule::SharedSameEpoch);
  }
  if ((seen & kSplitBit) != 0 && is_split_now(state, cell, seen, wanted, write)) {
    if (!write && !recorder.recording()) hint_at_repetition(state, cell, wanted);
    return count(state, write ? Rule::WriteSameEpoch : Rule::ReadSameEpoch);
  }
  note_access(thread, state);
  if (!recorder.recording()) {
    const auto noted = [] {};
    if (!write && access_together(state, cell, base, wanted, noted)) return;
    if ((seen & kSplitBit) != 0) {
      if (settle_split(state, cell, base, seen, wanted, write, noted)) return;
    } else if (settle_aside(state, cell, base, wanted, write)) {
      return;
    }
  }
  const u64 write_word = lock_cell(cell);
  // In a recording the accesses to a cell stand in the order in which they met it here.
  if (recorder.recording()) recorder.record_in_order(thread, base, wanted, state.doing.what, state.doing.pc);
  const u64 read_word = cell.read.load(std::memory_order_relaxed);
  u64 next_write = write_word;
  u64 next_read = read_word;
  if (((write_word & kSplitBit) | (read_word & (kVectorBit | kPlanesBit))) == 0 &&
      settle(state, next_write, next_read, wanted, write)) {
    count(state, rule_of(write, slot_in((touched_in(read_word) & wanted) != 0 ? read_word : write_word) == state.slot));
    log_replaced(state, base, write ? write_word : read_word, write ? next_write : next_read, write);
    cell.read.store(next_read, std::memory_order_relaxed);
    unlock_cell(cell, next_write);
    return;
  }
  access_generally(state, cell, base, write_word, wanted, write);
}

/// An atomic access, as far as races go. But atomic accesses have views (split_cells.hpp), and a lock is taken often,
/// in ever new epochs; so where the memory is nothing but a lock it is a plain read to the cell, and an atomic one in
/// the log, which reports go by.
void Online::read_lock(ThreadState* thread, uptr address, uptr pc) {
  if (thread->watch == ThreadState::Watch::Alone || thread->ignore_access != 0 || off_) return;
  OnlineThread& state = *thread->online;
  const uptr base = address & ~(kCellBytes - 1);
  Line* const line = lines_.at(address);
  if (line == nullptr) return;
  state.doing = {address, 1, Did::AtomicRead, pc};
  const auto log = [&] { note_access(thread, state); };
  if (!recorder.recording() && access_lines<false>(thread, address, address + 1, Action(log)) > address) return;
  Cell* const cell = open_cell(base);
  if (cell == nullptr) return;
  const u64 seen = cell->write.load(std::memory_order_acquire);
  if (recorder.recording() || ((seen & kSplitBit) != 0 && splits_[time_in(seen)].has_atomics())) {
    return access_atomically(thread, address, 1, false, pc);
  }
  const u64 wanted = bytes_at(address % kCellBytes, 1);
  if (is_in_words(state.now, *cell, wanted, false) || access_settled(state, *cell, base, wanted, false, log)) return;
  access_cell(thread, *cell, base, wanted);
}

bool Online::read_together(OnlineThread& state, Cell& cell, uptr base, u64 write_word, u64 read_word, u64 wanted) {
  if ((read_word & kPlanesBit) != 0) return read_plane(state, cell, base, write_word, read_word, wanted);
  if ((read_word & kVectorBit) != 0) return read_shared(state, cell, write_word, cell.read, read_word, wanted);
  return share_in_planes(state, cell, base, write_word, wanted);
}

/// [Read Shared] and [Read Shared Owned] where the last write, and the thread's own earlier read, are settled: the
/// thread writes its own slot of the vector, and nothing else.
bool Online::read_shared(OnlineThread& state, const Cell& cell, u64 write_word, const std::atomic<u64>& place, u64 word,
                         u64 wanted) {
  auto* const mine = read_vectors.find(time_in(word), state.slot);
  if (mine == nullptr) return false;
  const u32 earlier = mine->time_of_any(wanted);
  std::atomic<u32>& hazard = slots_[state.slot].hazard;
  hazard.store(time_in(word), std::memory_order_seq_cst);
  const bool still = cell.write.load(std::memory_order_seq_cst) == write_word &&
                     place.load(std::memory_order_seq_cst) == word && add_shared_read(state, *mine, wanted);
  if (still) {
    count(state, earlier != 0 ? Rule::ReadSharedOwned : Rule::ReadShared);
  }
  hazard.store(0, std::memory_order_release);
  return still;
}

}  // namespace omen::rt::online
