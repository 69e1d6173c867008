/// \file
/// Accesses and the cells they meet, as long as a look at the cell decides.
#include "capture/runtime/online/online.hpp"
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
  const ThreadSlot::Stamp& stamp = slots_[index(epoch.thread)].stamps[epoch.time % ThreadSlot::kStamps];
  return stamp.time.load(std::memory_order_relaxed) == epoch.time ? stamp.clock.load(std::memory_order_relaxed) : 0;
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

/// The address of the first of the wanted bytes of a cell.
OMEN_INLINE uptr first_byte(uptr address, u64 wanted) {
  return (address & ~(kCellBytes - 1)) + static_cast<u32>(__builtin_ctzll(wanted));
}

/// A word of the thread's own, or none; nothing else in it.
OMEN_INLINE bool is_own_and_settled(const OnlineThread& state, u64 word) {
  // Nothing but slot and time: the bits between them, which a halved cell has, included.
  return (word >> (kSlotShift - 8)) == (word == 0 ? 0 : u64{state.slot} << 8) && state.is_settled(word);
}

}  // namespace

void Online::access_slowly(ThreadState* thread, uptr address, u64 bytes, Did what, uptr pc) {
  if (thread->busy != 0 || thread->ignore_access != 0 || thread->watch == ThreadState::Watch::Alone || bytes == 0 ||
      address + bytes < address)
    return;
  OnlineThread* const state = thread->online;
  if (state == nullptr || off_) return;
  const Busy busy(thread);
  state->doing = {address, bytes, what, 0, pc};
  const uptr end = address + bytes;
  for (uptr base = address & ~(kCellBytes - 1); base < end; base += kCellBytes) {
    Cell* const cell = shadow_.at(base);
    if (cell == nullptr) return;
    u64 wanted = kBytes;
    if (base < address) wanted &= kBytes << (address - base);
    if (end - base < kCellBytes) wanted &= kBytes >> (kCellBytes - (end - base));
    access_cell(thread, *cell, base, wanted);
  }
}

/// The first cell of an access that changes its cell: now it counts, and is remembered.
void Online::note_access(ThreadState* thread, OnlineThread& state) {
  Doing& doing = state.doing;
  if (doing.node != 0) return;
  doing.node = recorder.node_at(thread, doing.pc);
  ++state.accesses;
  for (u64 done = 0; done < doing.bytes; done += AccessLog::kLongest) {
    const u64 part = doing.bytes - done < AccessLog::kLongest ? doing.bytes - done : AccessLog::kLongest;
    state.log->add(doing.address + done, part, doing.what, doing.node, time_in(state.now));
  }
  if (doing.node == 0) doing.node = ~u32{0};  // no place in the program stands for it
  if (OMEN_UNLIKELY((state.accesses & 0xfffff) == 0)) check_memory_limit();
}

/// An access to bytes of one cell that changes it: it counts, and is remembered.
OMEN_INLINE void Online::log_access(ThreadState* thread, uptr address, u64 wanted, bool write, uptr pc) {
  OnlineThread& state = *thread->online;
  ++state.accesses;
  state.log->add(first_byte(address, wanted), bytes_of(wanted), write ? Did::Write : Did::Read,
                 recorder.node_at(thread, pc), time_in(state.now));
}

/// In the order of what it costs: other same-epoch cases; everything settled; a shared read; the analysis.
void Online::access_anew(ThreadState* thread, Cell* cell, uptr address, u64 wanted, bool write, uptr pc) {
  if (OMEN_UNLIKELY(thread->busy != 0 || thread->ignore_access != 0 || thread->online == nullptr || off_)) return;
  OnlineThread& state = *thread->online;
  if (OMEN_LIKELY(cell != nullptr)) {
    u64 seen = cell->write.load(std::memory_order_acquire);
    if ((seen & kHalvedBit) != 0) {
      Cell* const pair = halves_[time_in(seen)];
      for (u32 half = 0; half < 2; ++half) {
        const u64 part = wanted & bytes_of_half(half);
        if (part != 0 && !is_same_epoch(thread, pair[half], part, write)) {
          access_anew(thread, pair + half, address, part, write, pc);
        }
      }
      return;
    }
    const u64 read = cell->read.load(std::memory_order_acquire);
    if (OMEN_LIKELY(((seen & (kSplitBit | kLockBit)) | (read & kVectorBit)) == 0 && !recorder.recording())) {
      const Busy busy(thread);
      if (is_own_and_settled(state, seen) && is_own_and_settled(state, read)) {
        if (access_own(state, *cell, address & ~(kCellBytes - 1), seen, read, wanted, write)) {
          log_access(thread, address, wanted, write, pc);
          return;
        }
      } else if (cell->write.compare_exchange_strong(seen, seen | kLockBit, std::memory_order_acquire,
                                                     std::memory_order_relaxed)) {
        u64 next = seen;
        if (settle(state, *cell, next, cell->read.load(std::memory_order_relaxed), wanted, write)) {
          log_access(thread, address, wanted, write, pc);
          unlock_cell(*cell, next);
          return;
        }
        unlock_cell(*cell, seen);
      }
    } else if (!write && (read & kVectorBit) != 0 && (seen & (kSplitBit | kLockBit)) == 0 &&
               ((seen & wanted) == 0 || state.is_settled(seen)) && !recorder.recording()) {
      const Busy busy(thread);
      log_access(thread, address, wanted, write, pc);
      if (read_shared(state, *cell, seen, cell->read, read, wanted)) return;
    } else if ((seen & kSplitBit) != 0) {
      if (is_split_now(state, *cell, seen, wanted, write)) {
        return count(state, write ? Rule::WriteSameEpoch : Rule::ReadSameEpoch);
      }
      if (!recorder.recording() && settle_split(thread, *cell, address, seen, wanted, write, pc)) return;
    }
  }
  const uptr first = first_byte(address, wanted);
  // Through the cell of the whole again: this may be a half.
  access_slowly(thread, first, bytes_of(wanted), write ? Did::Write : Did::Read, pc);
}

/// Two cells of the thread's own, in one go; otherwise one after the other.
void Online::access_pair_anew(ThreadState* thread, Cell* cell, uptr address, bool write, uptr pc) {
  if (OMEN_LIKELY(cell != nullptr && thread->busy == 0 && thread->ignore_access == 0 && thread->online != nullptr &&
                  !off_ && !recorder.recording() && !stats_)) {
    OnlineThread& state = *thread->online;
    const u64 now = without_bytes(state.now);
    const u64 w0 = cell[0].write.load(std::memory_order_relaxed);
    const u64 w1 = cell[1].write.load(std::memory_order_relaxed);
    const u64 r0 = cell[0].read.load(std::memory_order_relaxed);
    const u64 r1 = cell[1].read.load(std::memory_order_relaxed);
    if (is_own_and_settled(state, w0) && is_own_and_settled(state, w1) && is_own_and_settled(state, r0) &&
        is_own_and_settled(state, r1) &&
        state.pending[(address / kCellBytes) % OnlineThread::kPending].cell == nullptr &&
        state.pending[(address / kCellBytes + 1) % OnlineThread::kPending].cell == nullptr) {
      const Busy busy(thread);
      ++state.accesses;
      state.log->add(address, 16, write ? Did::Write : Did::Read, recorder.node_at(thread, pc), time_in(state.now));
      if (write) {
        cell[0].read.store(0, std::memory_order_relaxed);
        cell[1].read.store(0, std::memory_order_relaxed);
        cell[0].write.store(now | kBytes, std::memory_order_release);
        cell[1].write.store(now | kBytes, std::memory_order_release);
      } else {
        cell[0].read.store(now | kBytes, std::memory_order_release);
        cell[1].read.store(now | kBytes, std::memory_order_release);
      }
      return;
    }
  }
  for (u32 i = 0; i < 2; ++i) {
    if (cell == nullptr || !is_same_epoch(thread, cell[i], kBytes, write)) {
      access_anew(thread, cell == nullptr ? nullptr : cell + i, address + i * kCellBytes, kBytes, write, pc);
    }
  }
}

/// As `settle`, for bytes of a split cell; or a read of theirs into a vector that is just theirs.
bool Online::settle_split(ThreadState* thread, Cell& cell, uptr address, u64 seen, u64 wanted, bool write, uptr pc) {
  OnlineThread& state = *thread->online;
  const Busy busy(thread);
  SplitCell& split = splits_[time_in(seen)];
  const u32 byte = static_cast<u32>(__builtin_ctzll(wanted));
  const auto note = [&] { log_access(thread, address, wanted, write, pc); };
  const u64 read = split.read[byte].load(std::memory_order_relaxed);
  if ((read & kVectorBit) != 0) {
    if (write || (seen & kLockBit) != 0 || split.next != 0 || split.ancillary[byte] != 0) return false;
    for (u64 left = wanted; left != 0; left &= left - 1) {
      const u32 b = static_cast<u32>(__builtin_ctzll(left));
      if (split.read[b].load(std::memory_order_relaxed) != read || split.ancillary[b] != 0 ||
          !state.is_settled(split.write[b].load(std::memory_order_relaxed))) {
        return false;
      }
    }
    note();
    return read_shared(state, cell, seen, split.read[byte], read, wanted);
  }
  if ((seen & kLockBit) != 0 || !cell.write.compare_exchange_strong(seen, seen | kLockBit, std::memory_order_acquire,
                                                                    std::memory_order_relaxed)) {
    return false;
  }
  bool done = settle_view(state, split, wanted, write);
  for (u32 view = split.next; view != 0 && done; view = splits_[view].next) {
    if (splits_[view].owner != state.slot) done = settle_view(state, splits_[view], wanted, write);
  }
  if (!done) {  // what has been done in vain is done again, which changes nothing
    unlock_cell(cell, seen);
    return false;
  }
  note();
  u64 next = seen;
  if (split.next == 0) {
    const u64 whole_write = split.write[0].load(std::memory_order_relaxed);
    const u64 whole_read = split.read[0].load(std::memory_order_relaxed);
    bool whole = true;
    for (u32 b = 0; b < kCellBytes; ++b) {
      whole &= split.write[b].load(std::memory_order_relaxed) == whole_write &&
               split.read[b].load(std::memory_order_relaxed) == whole_read && split.ancillary[b] == 0;
    }
    if (whole) {
      next = whole_write == 0 ? 0 : whole_write | kBytes;
      cell.read.store(whole_read == whole_write ? 0 : whole_read | kBytes, std::memory_order_relaxed);
      splits_.give_back(time_in(seen));
      count_names(address, seen, 0, next, 0);
    }
  }
  unlock_cell(cell, next);
  return true;
}

/// Bytes of one view whose earlier accesses are all settled; the caller holds the lock.
bool Online::settle_view(OnlineThread& state, SplitCell& view, u64 wanted, bool write) {
  for (u64 left = wanted; left != 0; left &= left - 1) {
    const u32 b = static_cast<u32>(__builtin_ctzll(left));
    const u64 read = view.read[b].load(std::memory_order_relaxed);
    if ((read & kVectorBit) != 0 || view.ancillary[b] != 0 || !state.is_settled(read)) return false;
  }
  const u64 now = without_bytes(state.now);
  for (u64 left = wanted; left != 0; left &= left - 1) {
    const u32 b = static_cast<u32>(__builtin_ctzll(left));
    if (write) view.write[b].store(now, std::memory_order_relaxed);
    view.read[b].store(now, std::memory_order_relaxed);
  }
  if (OMEN_UNLIKELY(stats_)) state.counters.count(rule_of(write, true));
  return true;
}

/// One cell of an access of any length; `doing` is set.
void Online::access_cell(ThreadState* thread, Cell& cell, uptr base, u64 wanted) {
  OnlineThread& state = *thread->online;
  const bool write = writes(state.doing.what);
  const u64 seen = cell.write.load(std::memory_order_acquire);
  if ((seen & kHalvedBit) != 0) {
    Cell* const pair = halves_[time_in(seen)];
    for (u32 half = 0; half < 2; ++half) {
      if ((wanted & bytes_of_half(half)) != 0) access_cell(thread, pair[half], base, wanted & bytes_of_half(half));
    }
    return;
  }
  const u64 read = cell.read.load(std::memory_order_acquire);
  if (is_now(seen, state.now, wanted)) return count(state, write ? Rule::WriteSameEpoch : Rule::ReadSameEpoch);
  if (!write) {
    if (is_now(read, state.now, wanted)) return count(state, Rule::ReadSameEpoch);
    if ((read & kVectorBit) != 0 && is_shared_now(cell, state.now, seen, read, wanted))
      return count(state, Rule::SharedSameEpoch);
  }
  if ((seen & kSplitBit) != 0 && is_split_now(state, cell, seen, wanted, write)) {
    return count(state, write ? Rule::WriteSameEpoch : Rule::ReadSameEpoch);
  }
  note_access(thread, state);
  const bool shared = (read & kVectorBit) != 0 && (seen & (kLockBit | kSplitBit)) == 0;
  if (!write && shared && ((seen & wanted) == 0 || state.is_settled(seen)) && !recorder.recording() &&
      read_shared(state, cell, seen, cell.read, read, wanted)) {
    return;
  }
  u64 write_word = lock_cell(cell);
  if ((write_word & kHalvedBit) != 0) {  // in this moment
    unlock_cell(cell, write_word);
    return access_cell(thread, cell, base, wanted);
  }
  // In a recording the accesses to a cell stand in the order in which they met it here.
  if (recorder.recording()) recorder.record_in_order(thread, base, wanted, state.doing.what, state.doing.pc);
  const u64 read_word = cell.read.load(std::memory_order_relaxed);
  if (((write_word & kSplitBit) | (read_word & kVectorBit)) == 0 &&
      settle(state, cell, write_word, read_word, wanted, write)) {
    unlock_cell(cell, write_word);
    return;
  }
  access_generally(state, cell, base, write_word, wanted, write);
}

/// [Read Shared] and [Read Shared Owned] where the last write, and the thread's own earlier read, are settled: the
/// thread writes its own slot, and nothing else.
bool Online::read_shared(OnlineThread& state, const Cell& cell, u64 write_word, const std::atomic<u64>& place, u64 word,
                         u64 wanted) {
  auto* const mine = read_vectors.find(time_in(word), state.slot);
  if (mine == nullptr) return false;
  const u32 earlier = mine->time_of_any(wanted);
  if (earlier != 0 && !state.is_settled(word_of({earlier, state.thread()}, 0))) return false;
  std::atomic<u32>& hazard = slots_[state.slot].hazard;
  hazard.store(time_in(word), std::memory_order_seq_cst);
  const bool still = cell.write.load(std::memory_order_seq_cst) == write_word &&
                     place.load(std::memory_order_seq_cst) == word && mine->add(time_in(state.now), wanted);
  if (still) {
    count(state, earlier != 0 ? Rule::ReadSharedOwned : Rule::ReadShared);
  }
  hazard.store(0, std::memory_order_release);
  return still;
}

// The owner's shortcut. A cell that nobody else has accessed is changed by its owner without the lock. If another
// thread accesses the cell in the same moment, one of the two may not see the other, and what one of them left in the
// cell may be lost. No word in a cell ever says something untrue, so nothing false is reported; a race may be missed
// there and then, and is met at the next access. Where the run is recorded too, there is no shortcut.
//
// Pending bytes. A thread that works through an array of small elements, which it has worked through in an earlier
// epoch, would split every cell at the first element and unite it at the last. So what the others were is put aside for
// the moment, and put back when the thread turns to something else.

/// [Read Owned], [Write Owned] and first accesses.
bool Online::access_own(OnlineThread& state, Cell& cell, uptr base, u64 write_word, u64 read_word, u64 wanted,
                        bool write) {
  const u64 reads = read_word & wanted;
  const u64 only_written = write_word & wanted & ~read_word;
  if ((reads != 0 && !state.is_settled(read_word)) || (only_written != 0 && !state.is_settled(write_word)))
    return false;
  OnlineThread::Pending& pending = state.pending[(base / kCellBytes) % OnlineThread::kPending];
  if (OMEN_UNLIKELY(pending.cell != nullptr)) {
    if (pending.cell != &cell) {
      put_back(pending);
    } else if (pending.write != write) {
      put_back(pending);
      return false;
    } else {
      pending.old &= ~wanted;
      if ((pending.old & kBytes) == 0) pending.cell = nullptr;
    }
  }
  const u64 now = without_bytes(state.now);
  u64 word = write ? write_word : read_word;
  if (without_bytes(word) == now) {
    word |= wanted;
  } else {
    if (const u64 left = word & kBytes & ~wanted; left != 0) {
      if (pending.cell != nullptr) return false;
      pending = {&cell, base, without_bytes(word) | left, write};
    }
    word = now | wanted;
  }
  if (OMEN_UNLIKELY(stats_)) state.counters.count(rule_of(write, true));
  if (!write) {
    cell.read.store(word, std::memory_order_relaxed);
    return true;
  }
  if ((read_word & wanted) != 0) {
    read_word &= ~wanted;
    cell.read.store((read_word & kBytes) == 0 ? 0 : read_word, std::memory_order_relaxed);
  }
  cell.write.store(word, std::memory_order_release);
  return true;
}

/// What another thread has done to the bytes meanwhile stands.
OMEN_NOINLINE void Online::put_back(OnlineThread::Pending& pending) {
  Cell& cell = *pending.cell;
  pending.cell = nullptr;
  const u64 old = without_bytes(pending.old);
  const u64 write_word = lock_cell(cell);
  if ((write_word & kHalvedBit) != 0) {
    unlock_cell(cell, write_word);
    const OnlineThread::Pending whole = pending;
    for (u32 half = 0; half < 2; ++half) {
      if ((whole.old & bytes_of_half(half)) == 0) continue;
      pending = {halves_[time_in(write_word)] + half, whole.base, old | (whole.old & bytes_of_half(half)), whole.write};
      put_back(pending);
    }
    return;
  }
  const u64 read_word = cell.read.load(std::memory_order_relaxed);
  const u32 number = (write_word & kSplitBit) != 0 ? time_in(write_word) : 0;
  ByteStates states = number != 0 ? load_split(number) : load_words(write_word, read_word);
  for (u64 left = pending.old & kBytes; left != 0; left &= left - 1) {
    const u32 b = static_cast<u32>(__builtin_ctzll(left));
    const bool unread = states.read[b] == states.write[b];
    if (pending.write && states.write[b] == 0) states.write[b] = old;
    if (unread && (!pending.write || states.read[b] == 0)) states.read[b] = old;
  }
  u64 new_write = 0;
  u64 new_read = 0;
  if (number != 0) {
    store_split(number, states);
    new_write = write_word;
  } else if (!fit(states, new_write, new_read)) {  // which takes no vector away
    new_write = put_aside(states, false);
    new_read = 0;
  }
  count_names(pending.base, write_word, read_word, new_write, new_read);
  cell.read.store(new_read, std::memory_order_relaxed);
  unlock_cell(cell, new_write);
}

/// The owned and exclusive cases where everything earlier is settled and the result fits into the two words: sets the
/// read word, and the write word for the caller, who holds the lock.
OMEN_INLINE bool Online::settle(OnlineThread& state, Cell& cell, u64& write_word, u64 read_word, u64 wanted,
                                bool write) {
  const u64 reads = read_word & wanted;
  const u64 only_written = write_word & wanted & ~read_word;
  if ((reads != 0 && !state.is_settled(read_word)) || (only_written != 0 && !state.is_settled(write_word)))
    return false;
  const u64 now = without_bytes(state.now);
  if (OMEN_UNLIKELY(stats_)) {
    state.counters.count(rule_of(write, slot_in(reads != 0 ? read_word : write_word) == state.slot));
  }
  if (!write) {
    if (without_bytes(read_word) == now) {
      read_word |= wanted;
    } else if ((read_word & kBytes & ~wanted) == 0) {
      read_word = now | wanted;
    } else {
      return false;
    }
    cell.read.store(read_word, std::memory_order_relaxed);
    return true;
  }
  if (without_bytes(write_word) == now) {
    write_word |= wanted;
  } else if ((write_word & kBytes & ~wanted) == 0) {
    write_word = now | wanted;
  } else {
    return false;
  }
  if (reads != 0) {
    read_word &= ~wanted;
    cell.read.store((read_word & kBytes) == 0 ? 0 : read_word, std::memory_order_relaxed);
  }
  return true;
}

bool Online::is_split_now(const OnlineThread& state, const Cell& cell, u64 word, u64 wanted, bool write) {
  SplitCell& split = splits_[time_in(word)];
  if (split.next != 0) return false;  // there are atomic accesses too
  const u64 now = without_bytes(state.now);
  for (u64 left = wanted; left != 0; left &= left - 1) {
    const u32 b = static_cast<u32>(__builtin_ctzll(left));
    if (split.write[b].load(std::memory_order_relaxed) == now) continue;
    if (write) return false;
    const u64 read = split.read[b].load(std::memory_order_relaxed);
    if (read == now) continue;
    if ((read & kVectorBit) == 0) return false;
    const ReadSlot* const mine = read_vectors.find(time_in(read), state.slot);
    if (mine == nullptr || !mine->has(time_in(state.now), u64{1} << b)) return false;
  }
  return cell.write.load(std::memory_order_acquire) == word;
}

}  // namespace omen::rt::online
