/// \file
/// Accesses and the cells they meet.
#include <malloc.h>

#include "capture/runtime/online/online.hpp"
#include "capture/runtime/recorder.hpp"

namespace omen::rt::online {

constinit Online online;
constinit ReadVectors read_vectors;
constinit std::atomic<uptr> shadow_regions[kRegions] = {};

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

/// A word of the thread's own, or none; nothing else in it.
OMEN_INLINE bool is_own_and_settled(const OnlineThread& state, u64 word) {
  // Nothing but slot and time: the bits between them, which a halved cell has, included.
  return (word >> (kSlotShift - 8)) == (word == 0 ? 0 : u64{state.slot} << 8) && state.is_settled(word);
}

Rule rule_of(bool write, bool own) {
  if (write) return own ? Rule::WriteOwned : Rule::WriteExclusive;
  return own ? Rule::ReadOwned : Rule::ReadExclusive;
}

}  // namespace

void Online::access_slowly(ThreadState* thread, uptr address, u64 bytes, Did what, uptr pc) {
  if (thread->busy != 0 || thread->ignore_access != 0 || thread->watch == ThreadState::Watch::Alone || bytes == 0 ||
      address + bytes < address)
    return;
  OnlineThread* const state = thread->online;
  if (state == nullptr || off_) return;
  const Busy busy(thread);
  if (OMEN_UNLIKELY(state->waiting != 0)) end_interrupted_wait(thread);
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

/// In the order of what it costs: other same-epoch cases; everything settled; a shared read; the analysis.
void Online::access_anew(ThreadState* thread, Cell* cell, uptr address, u64 wanted, bool write, uptr pc) {
  if (OMEN_UNLIKELY(thread->busy != 0 || thread->ignore_access != 0 || thread->online == nullptr || off_)) return;
  OnlineThread& state = *thread->online;
  if (OMEN_LIKELY(cell != nullptr && state.waiting == 0)) {
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
          ++state.accesses;
          state.log->add((address & ~(kCellBytes - 1)) + static_cast<u32>(__builtin_ctzll(wanted)), bytes_of(wanted),
                         write ? Did::Write : Did::Read, recorder.node_at(thread, pc), time_in(state.now));
          return;
        }
      } else if (cell->write.compare_exchange_strong(seen, seen | kLockBit, std::memory_order_acquire,
                                                     std::memory_order_relaxed)) {
        u64 next = seen;
        if (settle(state, *cell, next, cell->read.load(std::memory_order_relaxed), wanted, write)) {
          ++state.accesses;
          const uptr first = (address & ~(kCellBytes - 1)) + static_cast<u32>(__builtin_ctzll(wanted));
          state.log->add(first, bytes_of(wanted), write ? Did::Write : Did::Read, recorder.node_at(thread, pc),
                         time_in(state.now));
          unlock_cell(*cell, next);
          return;
        }
        unlock_cell(*cell, seen);
      }
    } else if (!write && (read & kVectorBit) != 0 && (seen & (kSplitBit | kLockBit)) == 0 &&
               ((seen & wanted) == 0 || state.is_settled(seen)) && !recorder.recording()) {
      const Busy busy(thread);
      ++state.accesses;
      state.log->add((address & ~(kCellBytes - 1)) + static_cast<u32>(__builtin_ctzll(wanted)), bytes_of(wanted),
                     Did::Read, recorder.node_at(thread, pc), time_in(state.now));
      if (read_shared(state, *cell, seen, cell->read, read, wanted)) return;
    } else if ((seen & kSplitBit) != 0) {
      if (is_split_now(state, *cell, seen, wanted, write)) {
        return count(state, write ? Rule::WriteSameEpoch : Rule::ReadSameEpoch);
      }
      if (!recorder.recording() && settle_split(thread, *cell, address, seen, wanted, write, pc)) return;
    }
  }
  const uptr first = (address & ~(kCellBytes - 1)) + static_cast<u32>(__builtin_ctzll(wanted));
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
  const uptr first = (address & ~(kCellBytes - 1)) + byte;
  const auto note = [&] {
    ++state.accesses;
    state.log->add(first, bytes_of(wanted), write ? Did::Write : Did::Read, recorder.node_at(thread, pc),
                   time_in(state.now));
  };
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

ByteStates Online::load_words(u64 write_word, u64 read_word) {
  ByteStates states;
  for (u32 b = 0; b < kCellBytes; ++b) {
    states.write[b] = (write_word >> b & 1) != 0 ? without_bytes(write_word) : 0;
    // A vector is for all bytes, and says itself who read which.
    const bool is_read = (read_word >> b & 1) != 0 || (read_word & kVectorBit) != 0;
    states.read[b] = is_read ? without_bytes(read_word) : states.write[b];
    states.ancillary[b] = 0;
  }
  return states;
}

ByteStates Online::load_split(u32 number) {
  const SplitCell& split = splits_[number];
  ByteStates states;
  for (u32 b = 0; b < kCellBytes; ++b) {
    states.write[b] = split.write[b].load(std::memory_order_relaxed);
    states.read[b] = split.read[b].load(std::memory_order_relaxed);
    states.ancillary[b] = split.ancillary[b];
  }
  return states;
}

void Online::store_split(u32 number, const ByteStates& states) {
  SplitCell& split = splits_[number];
  for (u32 b = 0; b < kCellBytes; ++b) {
    split.write[b].store(states.write[b], std::memory_order_relaxed);
    split.read[b].store(states.read[b], std::memory_order_relaxed);
    split.ancillary[b] = states.ancillary[b];
  }
}

u32 Online::new_view(const ByteStates& states, u32 owner, u32 next) {
  const u32 number = splits_.take();
  if (number == 0) return 0;
  store_split(number, states);
  splits_[number].owner = owner;
  splits_[number].next = next;
  splits_[number].stays = false;
  return number;
}

u64 Online::put_aside(ByteStates& states, bool stays) {
  u64 words[2][2] = {};
  bool halves = true;
  for (u32 half = 0; half < 2 && halves; ++half) {
    ByteStates own = states;
    for (u32 b = 0; b < kCellBytes; ++b) {
      halves = halves && (states.read[b] & kVectorBit) == 0;
      if ((bytes_of_half(half) >> b & 1) == 0) own.write[b] = own.read[b] = own.ancillary[b] = 0;
    }
    halves = halves && fit(own, words[half][0], words[half][1]);
  }
  // A half that does not fit is itself put aside byte by byte: both of its words would be the same again.
  if (const u32 pair = halves ? halves_.take() : 0; pair != 0) {
    for (u32 half = 0; half < 2; ++half) {
      halves_[pair][half].read.store(words[half][1], std::memory_order_relaxed);
      halves_[pair][half].write.store(words[half][0], std::memory_order_release);
    }
    return halved_word(pair);
  }
  const u32 taken = new_view(states, SplitCell::kPlain, 0);
  if (taken == 0) return 0;
  splits_[taken].stays = stays;
  return split_word(taken);
}

/// One vector for all bytes, with the plain reads of the others in it. False: they do not fit into one.
bool Online::unite_vectors(ByteStates& states) {
  u64 first = 0;
  for (const u64 read : states.read) {
    if ((read & kVectorBit) != 0 && first == 0) first = read;
  }
  if (first == 0) return true;
  for (u32 b = 0; b < kCellBytes; ++b) {
    const u64 read = states.read[b];
    if (read == first) continue;
    if ((read & kVectorBit) != 0) {
      if (read_vectors.capacity(time_in(read)) > read_vectors.capacity(time_in(first))) return false;
      if (!read_vectors.add_all(time_in(read), time_in(first), u64{1} << b)) return false;
    } else if (read != states.write[b]) {
      ReadSlot* const slot = read_vectors.find(time_in(first), slot_in(read));
      if (slot == nullptr || !slot->add(time_in(read), u64{1} << b)) return false;
    } else {
      continue;
    }
    states.read[b] = first;
  }
  return true;
}

/// A vector for each byte.
void Online::split_vectors(ByteStates& states) {
  for (u32 b = 0; b < kCellBytes; ++b) {
    if ((states.read[b] & kVectorBit) == 0) continue;
    const ReadVectors::Number whole = time_in(states.read[b]);
    const ReadVectors::Number own = read_vectors.take(read_vectors.capacity(whole), online::is_hazard);
    read_vectors.add_all(whole, own, u64{1} << b);
    states.read[b] = vector_word(own, 0);
  }
}

void Online::drop_vectors(const ByteStates& before, ByteStates& states) {
  const ByteStates middle = states;
  for (u32 b = 0; b < kCellBytes; ++b) {
    const u64 read = states.read[b];
    if ((read & kVectorBit) != 0 && (read_vectors.bytes_read(time_in(read)) >> b & 1) == 0) {
      states.read[b] = states.write[b];
    }
  }
  give_back_vectors(before, states);
  give_back_vectors(middle, states, &before);
}

/// Those that were named and are not any more; not those that `done` names too.
void Online::give_back_vectors(const ByteStates& named, const ByteStates& states, const ByteStates* done) {
  for (u32 b = 0; b < kCellBytes; ++b) {
    const u64 read = named.read[b];
    if ((read & kVectorBit) == 0 || states.names(read) || (done != nullptr && done->names(read))) continue;
    bool repeated = false;
    for (u32 c = 0; c < b; ++c) repeated |= named.read[c] == read;
    if (!repeated) read_vectors.give_back(time_in(read));
  }
}

bool Online::fit(ByteStates& states, u64& write_word, u64& read_word) {
  u64 write = 0;
  for (u32 b = 0; b < kCellBytes; ++b) {
    if (states.ancillary[b] != 0) return false;
    if (states.write[b] == 0) continue;
    if (write != 0 && without_bytes(write) != states.write[b]) return false;
    write = states.write[b] | (write & kBytes) | (u64{1} << b);
  }
  if (!unite_vectors(states)) return false;
  u64 read = 0;
  for (u32 b = 0; b < kCellBytes; ++b) {
    if (states.read[b] == states.write[b]) continue;
    if (read != 0 && without_bytes(read) != states.read[b]) return false;
    read = states.read[b] | (read & kBytes) | (u64{1} << b);
  }
  write_word = write;
  read_word = read;
  return true;
}

/// Leaves of the shadow count the cells that name a split cell or a vector.
void Online::count_names(uptr base, u64 write_before, u64 read_before, u64 write_after, u64 read_after) {
  const bool before = ((write_before & (kSplitBit | kHalvedBit)) | (read_before & kVectorBit)) != 0;
  const bool after = ((write_after & (kSplitBit | kHalvedBit)) | (read_after & kVectorBit)) != 0;
  if (before == after) return;
  shadow_.outside_names(base).fetch_add(after ? 1 : ~u32{0}, std::memory_order_relaxed);
}

/// The analysis' part, for each group of bytes that have one history.
void Online::access_view(OnlineThread& state, ByteStates& states, u64 wanted, bool write) {
  if (!write) {
    // The thread's read must fit into its slot of each vector.
    bool fits = true;
    for (u64 left = wanted; left != 0; left &= left - 1) {
      const u64 read = states.read[__builtin_ctzll(left)];
      if ((read & kVectorBit) == 0) continue;
      const ReadSlot* const mine = read_vectors.find(time_in(read), state.slot);
      if (mine == nullptr) continue;
      const u64 last = mine->last.load(std::memory_order_relaxed);
      const u64 before = mine->before.load(std::memory_order_relaxed);
      fits &= ReadSlot::time_of(last) == time_in(state.now) || (last & ~wanted & kBytes) == 0 ||
              (before & ~wanted & kBytes) == 0;
    }
    if (!fits) split_vectors(states);
  }
  for (u64 left = wanted; left != 0;) {
    const u32 byte = static_cast<u32>(__builtin_ctzll(left));
    const u64 group = states.same_as(byte);
    u64 part = group & wanted;
    OnlineVariable x{{epoch_in(states.write[byte]), epoch_in(states.read[byte])}, states.ancillary[byte]};
    if (x.words.is_shared()) {
      // Of the bytes that have the vector, those that somebody has read; or those that nobody has, which are as
      // written.
      const u64 read = read_vectors.bytes_read(x.words.read.time);
      const bool is_read = (read >> byte & 1) != 0;
      part &= is_read ? read : ~read;
      if (!is_read) x.words.read = x.words.write;
    }
    left &= ~part;
    const u64 last = x.words.is_shared() ? 0 : word_of_access(x.words.read);
    if (!x.words.is_shared() && x.ancillary == 0 && state.is_settled(last)) {
      const Epoch now = state.epoch();
      if ((write ? x.words.write : x.words.read) == now) continue;
      count(state, rule_of(write, x.words.read.thread == now.thread));
      x.words = {write ? now : x.words.write, now};
    } else {
      // Bytes that are not accessed keep the list.
      if (x.ancillary != 0 && part != group) engine_->clone_ancillary(x);
      engine_->access(state, x, part, write);
    }
    const u64 write_word = word_of_access(x.words.write);
    const u64 read_word = word_of_access(x.words.read);
    for (u64 rest = part; rest != 0; rest &= rest - 1) {
      const u32 b = static_cast<u32>(__builtin_ctzll(rest));
      states.write[b] = write_word;
      states.read[b] = read_word;
      states.ancillary[b] = x.ancillary;
    }
  }
}

/// Any cell, locked; unlocks it.
OMEN_NOINLINE void Online::access_generally(OnlineThread& state, Cell& cell, uptr base, u64 write_word, u64 wanted,
                                            bool write) {
  const u64 read_word = cell.read.load(std::memory_order_relaxed);
  const u32 number = (write_word & kSplitBit) != 0 ? time_in(write_word) : 0;
  ByteStates states = number != 0 ? load_split(number) : load_words(write_word, read_word);
  const ByteStates before = states;
  access_view(state, states, wanted, write);
  u32 others = number != 0 ? splits_[number].next : 0;
  for (u32 view = others; view != 0; view = splits_[view].next) {
    if (splits_[view].owner == state.slot) continue;
    ByteStates theirs = load_split(view);
    const ByteStates theirs_before = theirs;
    access_view(state, theirs, wanted, write);
    drop_vectors(theirs_before, theirs);
    store_split(view, theirs);
  }
  u64 new_write = 0;
  u64 new_read = 0;
  drop_vectors(before, states);
  const ByteStates apart = states;
  const bool whole = others == 0 && !(number != 0 && splits_[number].stays) && fit(states, new_write, new_read);
  give_back_vectors(apart, states);
  if (whole) {
    if (number != 0) splits_.give_back(number);
  } else if (number != 0) {
    store_split(number, states);
    new_write = write_word;
    new_read = 0;
  } else {
    new_write = put_aside(states, (read_word & kVectorBit) != 0);
    new_read = 0;
  }
  count_names(base, write_word, read_word, new_write, new_read);
  cell.read.store(new_read, std::memory_order_relaxed);
  unlock_cell(cell, new_write);
}

void Online::access_atomically(ThreadState* thread, uptr address, u64 bytes, bool write, uptr pc) {
  if (thread->watch == ThreadState::Watch::Alone || thread->ignore_access != 0 || off_) return;
  OnlineThread& state = *thread->online;
  state.doing = {address, bytes, write ? Did::AtomicWrite : Did::AtomicRead, 0, pc};
  const uptr end = address + bytes;
  for (uptr base = address & ~(kCellBytes - 1); base < end; base += kCellBytes) {
    Cell* const cell = shadow_.at(base);
    if (cell == nullptr) return;
    u64 wanted = kBytes;
    if (base < address) wanted &= kBytes << (address - base);
    if (end - base < kCellBytes) wanted &= kBytes >> (kCellBytes - (end - base));
    note_access(thread, state);
    access_own_view(state, *cell, base, wanted, write);
  }
}

/// An atomic access meets the thread's own view, which is made from the plain one when it is first needed.
void Online::access_own_view(OnlineThread& state, Cell& cell, uptr base, u64 wanted, bool write) {
  const u64 write_word = lock_cell(cell);
  if ((write_word & kHalvedBit) != 0) {
    unlock_cell(cell, write_word);
    for (u32 half = 0; half < 2; ++half) {
      const u64 part = wanted & bytes_of_half(half);
      if (part != 0) access_own_view(state, halves_[time_in(write_word)][half], base, part, write);
    }
    return;
  }
  const u64 read_word = cell.read.load(std::memory_order_relaxed);
  u32 plain = (write_word & kSplitBit) != 0 ? time_in(write_word) : 0;
  if (plain == 0) plain = new_view(load_words(write_word, read_word), SplitCell::kPlain, 0);
  u32 own = plain == 0 ? 0 : splits_[plain].next;
  while (own != 0 && splits_[own].owner != state.slot) own = splits_[own].next;
  if (own == 0 && plain != 0) {
    ByteStates copy = load_split(plain);
    split_vectors(copy);
    for (u64 left = kBytes; left != 0;) {
      const u32 byte = static_cast<u32>(__builtin_ctzll(left));
      const u64 group = copy.same_as(byte);
      left &= ~group;
      OnlineVariable x{{}, copy.ancillary[byte]};
      if (x.ancillary == 0) continue;
      engine_->clone_ancillary(x);
      for (u64 rest = group; rest != 0; rest &= rest - 1) {
        copy.ancillary[__builtin_ctzll(rest)] = x.ancillary;
      }
    }
    own = new_view(copy, state.slot, splits_[plain].next);
    if (own != 0) splits_[plain].next = own;
  }
  if (own != 0 && !settle_view(state, splits_[own], wanted, write)) {
    ByteStates states = load_split(own);
    const ByteStates before = states;
    access_view(state, states, wanted, write);
    drop_vectors(before, states);
    store_split(own, states);
  }
  const u64 new_write = plain == 0 ? write_word : split_word(plain);
  const u64 new_read = plain == 0 ? read_word : 0;
  count_names(base, write_word, read_word, new_write, new_read);
  cell.read.store(new_read, std::memory_order_relaxed);
  unlock_cell(cell, new_write);
}

/// Forgets what the bytes were.
void Online::clear_states(ByteStates& states, u64 bytes) {
  const ByteStates before = states;
  for (u64 left = bytes; left != 0;) {
    const u32 byte = static_cast<u32>(__builtin_ctzll(left));
    const u64 group = states.same_as(byte);
    const u64 part = group & bytes;
    left &= ~part;
    OnlineVariable x{{}, states.ancillary[byte]};
    if (part == group && x.ancillary != 0) engine_->forget_ancillary(x);
    if ((states.read[byte] & kVectorBit) != 0) {
      read_vectors.for_each(time_in(states.read[byte]), [&](u32, ReadSlot& reads) { reads.remove(part); });
    }
    for (u64 rest = part; rest != 0; rest &= rest - 1) {
      const u32 b = static_cast<u32>(__builtin_ctzll(rest));
      states.write[b] = states.read[b] = 0;
      states.ancillary[b] = 0;
    }
  }
  drop_vectors(before, states);
}

void Online::clear_cell(Cell& cell, u64 bytes, uptr base) {
  const u64 write_word = lock_cell(cell);
  if ((write_word & kHalvedBit) != 0) {
    for (u32 half = 0; half < 2; ++half) {
      const u64 part = bytes & bytes_of_half(half);
      if (part != 0) clear_cell(halves_[time_in(write_word)][half], part, base);
    }
    if (bytes == kBytes) {
      halves_.give_back(time_in(write_word));
      count_names(base, write_word, 0, 0, 0);
      cell.read.store(0, std::memory_order_relaxed);
    }
    unlock_cell(cell, bytes == kBytes ? 0 : write_word);
    return;
  }
  const u64 read_word = cell.read.load(std::memory_order_relaxed);
  if (((write_word & kSplitBit) | (read_word & kVectorBit)) == 0) {
    const u64 write = write_word & ~bytes;
    const u64 read = read_word & ~bytes;
    cell.read.store((read & kBytes) == 0 ? 0 : read, std::memory_order_relaxed);
    unlock_cell(cell, (write & kBytes) == 0 ? 0 : write);
    return;
  }
  const u32 number = (write_word & kSplitBit) != 0 ? time_in(write_word) : 0;
  ByteStates states = number != 0 ? load_split(number) : load_words(write_word, read_word);
  u32 others = number != 0 ? splits_[number].next : 0;
  clear_states(states, bytes);
  u32 kept = 0;
  for (u32 view = others; view != 0;) {
    const u32 next = splits_[view].next;
    ByteStates theirs = load_split(view);
    clear_states(theirs, bytes);
    if (theirs.is_empty()) {
      splits_.give_back(view);
    } else {
      store_split(view, theirs);
      splits_[view].next = kept;
      kept = view;
    }
    view = next;
  }
  others = kept;
  u64 new_write = 0;
  u64 new_read = 0;
  const ByteStates apart = states;
  const bool whole = others == 0 && fit(states, new_write, new_read);
  give_back_vectors(apart, states);
  if (whole) {
    if (number != 0) splits_.give_back(number);
  } else if (number != 0) {
    store_split(number, states);
    splits_[number].next = others;
    new_write = write_word;
    new_read = 0;
  } else {
    new_write = put_aside(states, false);
    new_read = 0;
  }
  count_names(base, write_word, read_word, new_write, new_read);
  cell.read.store(new_read, std::memory_order_relaxed);
  unlock_cell(cell, new_write);
}

void Online::memory(ThreadState* thread, raw::RawOp op, uptr address, u64 bytes, uptr pc) {
  using raw::RawOp;
  if (thread->watch == ThreadState::Watch::Alone || off_ || thread->online == nullptr) return;
  // What a block is written to when it is freed: more would cost much and find little.
  constexpr u64 kFreedBytes = 1024;
  u64 end = address + bytes;
  uptr begin = address;
  if (op == RawOp::Allocate) {
    // The whole of what its last owner freed, which may be more than was asked for now.
    const Busy busy(thread);
    const u64 usable = malloc_usable_size(reinterpret_cast<void*>(address));
    if (usable > bytes) end = address + usable;
  }
  if (op == RawOp::Free && thread->ignore_access == 0) {
    const u64 written = bytes < kFreedBytes ? bytes : kFreedBytes;
    access_slowly(thread, address, written, Did::Free, pc);
    begin = address + written;
  }
  {
    const Busy busy(thread);
    if (begin < end) shadow_.clear(begin, end, [&](Cell& cell, u64 part, uptr base) { clear_cell(cell, part, base); });
    if (objects_->may_have(address, end)) {
      const SpinGuard guard(analysis_lock);
      objects_->remove(address, end, [&](SyncObjects::Number number, const SyncObject& object) {
        if (object.holder != SyncObject::kNobody || !object.readers.empty() || !object.waiting.empty()) return false;
        engine_->forget_object(number);
        return true;
      });
    }
    if (op == RawOp::Allocate) {
      thread->online->log->add(address, bytes < AccessLog::kLongest ? bytes : AccessLog::kLongest, Did::Allocate,
                               recorder.node_at(thread, pc), time_in(thread->online->now));
    }
  }
  // A block that another thread uses before it can know of it: its first byte is written here.
  if ((op == RawOp::Allocate || (op == RawOp::NewMemory && pc != 0)) && thread->ignore_access == 0) {
    access_slowly(thread, address, 1, Did::Write, pc);
  }
}

}  // namespace omen::rt::online
