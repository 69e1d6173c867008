/// \file
/// Atomic accesses, as accesses: in planes (atomic_planes.hpp) where the analysis is happens-before and the run is not
/// recorded, otherwise in views (split_cells.hpp); and plain accesses that meet those in planes.
#include "capture/runtime/online/atomic_planes.hpp"
#include "capture/runtime/online/online.hpp"
#include "capture/runtime/online/settling.hpp"
#include "capture/runtime/recorder.hpp"

namespace omen::rt::online {

constinit AtomicPlanes atomic_planes;

namespace {

using Word = AtomicPlanes::Word;

/// Are the last plain accesses to these bytes, those of their kind, settled? A vector is not looked at.
bool are_plain_settled(const OnlineThread& state, const SplitCell& plain, u64 wanted, bool write) {
  for (u64 left = wanted; left != 0; left &= left - 1) {
    const u32 b = static_cast<u32>(__builtin_ctzll(left));
    const u64 last = plain.read[b].load(std::memory_order_relaxed);
    if ((last & kVectorBit) == 0 && state.needs_no_look(last)) continue;
    if (write || !state.needs_no_look(plain.write[b].load(std::memory_order_relaxed))) return false;
  }
  return true;
}

/// What an access makes of the thread's words of a cell.
struct Beside {
  bool is_repeated = true;  ///< it was made before, in this epoch
  bool has_met = true;      ///< the plain accesses are as they were when it was made last
  bool fits = true;

  Beside(Word* words, u32 time, u64 wanted, bool write, u32 changes) {
    for (u32 half = 0; half < AtomicPlanes::kHalves; ++half) {
      const u64 bytes = AtomicPlanes::in_half(half, wanted);
      if (bytes == 0) continue;
      const u64 written = AtomicPlanes::written(words, half).load(std::memory_order_relaxed);
      const u64 read = AtomicPlanes::read(words, half).load(std::memory_order_relaxed);
      is_repeated &= AtomicPlanes::is_now(written, time, bytes) || (!write && AtomicPlanes::is_now(read, time, bytes));
      has_met &= changes == 0 || AtomicPlanes::has_met(written, changes, bytes) ||
                 (!write && AtomicPlanes::has_met(read, changes, bytes));
      fits &= AtomicPlanes::fits(write ? written : read, time, bytes);
    }
  }
};

void put(Word* words, u32 time, u64 wanted, bool write, u32 changes) {
  for (u32 half = 0; half < AtomicPlanes::kHalves; ++half) {
    const u64 bytes = AtomicPlanes::in_half(half, wanted);
    if (bytes == 0) continue;
    Word& word = write ? AtomicPlanes::written(words, half) : AtomicPlanes::read(words, half);
    const u64 earlier = word.load(std::memory_order_relaxed);
    word.store(AtomicPlanes::after(earlier, time, bytes, changes), std::memory_order_relaxed);
  }
}

/// Calls `visit(its last access, is that a write)` for each thread but this one whose atomic accesses to these bytes,
/// in planes, may race with a plain one. Who reads, or has written them before in its epoch, meets only their writes:
/// of `loaded`, their reads too.
template <class Visit>
void for_each_atomic(const OnlineThread& state, const SplitCell& plain, uptr base, u64 wanted, u64 loaded,
                     Visit visit) {
  for (u64 left = plain.atomics.load(std::memory_order_relaxed); left != 0; left &= left - 1) {
    const u32 slot = static_cast<u32>(__builtin_ctzll(left));
    Word* const words = slot == state.slot ? nullptr : atomic_planes.find(slot, base);
    if (words == nullptr) continue;
    u32 written = 0;
    u32 read = 0;
    for (u32 half = 0; half < AtomicPlanes::kHalves; ++half) {
      const u64 bytes = AtomicPlanes::in_half(half, wanted);
      const u64 last_write = AtomicPlanes::written(words, half).load(std::memory_order_relaxed);
      const u64 last_read = AtomicPlanes::read(words, half).load(std::memory_order_relaxed);
      if ((last_write & bytes) != 0 && time_in(last_write) > written) written = time_in(last_write);
      if ((last_read & bytes & loaded) != 0 && time_in(last_read) > read) read = time_in(last_read);
    }
    const u32 last = written < read ? read : written;
    if (last != 0) visit(word_of({last, ThreadId{slot}}, 0), last == written);
  }
}

}  // namespace

void Online::access_atomically(ThreadState* thread, uptr address, u64 bytes, bool write, uptr pc) {
  if (thread->online == nullptr || thread->watch == ThreadState::Watch::Alone || thread->ignore_access != 0 || off_) {
    return;
  }
  OnlineThread& state = *thread->online;
  state.doing = {address, bytes, write ? Did::AtomicWrite : Did::AtomicRead, pc};
  const uptr end = address + bytes;
  for (uptr base = address & ~(kCellBytes - 1); base < end; base += kCellBytes) {
    Cell* const cell = open_cell(base);
    if (cell == nullptr) return;
    const u64 wanted = bytes_within(base, address, end);
    if (access_beside(thread, state, *cell, base, wanted, write)) continue;
    if (is_own_view_now(state, *cell, wanted, write)) continue;
    note_access(thread, state);
    access_own_view(state, *cell, base, wanted, write);
  }
}

/// The same, if all of it is done at once and without a look at the analysis.
bool Online::access_atomically_beside(ThreadState* thread, uptr address, u64 bytes, bool write, uptr pc) {
  const uptr base = address & ~(kCellBytes - 1);
  if (thread->watch == ThreadState::Watch::Alone || thread->ignore_access != 0 || off_ ||
      address + bytes > base + kCellBytes) {
    return false;
  }
  const Line* const line = LineMap::find(base);
  if (line == nullptr || !line->is_open(line_bytes_within(base & ~(kLineSize - 1), address, address + bytes)))
    return false;
  Cell* const cell = ShadowMap::find(base);
  OnlineThread& state = *thread->online;
  state.doing = {address, bytes, write ? Did::AtomicWrite : Did::AtomicRead, pc};
  return access_beside(thread, state, *cell, base, bytes_within(base, address, address + bytes), write);
}

/// The thread's view of a split cell; 0: it has none. Also without the cell's lock: then it may be one no longer.
u32 Online::own_view_of(OnlineThread& state, u32 first) {
  OnlineThread::KnownView& known = state.known_views[first % OnlineThread::kKnownViews];
  if (known.first == first && splits_[known.view].first == first && splits_[known.view].owner == state.slot) {
    return known.view;
  }
  u32 own = splits_[first].next;
  while (own != 0 && splits_[own].owner != state.slot) own = splits_[own].next;
  if (own != 0) known = {first, own};
  return own;
}

/// Has the thread made this atomic access before, in this epoch? Without the cell's lock: see split_cells.hpp.
bool Online::is_own_view_now(OnlineThread& state, const Cell& cell, u64 wanted, bool write) {
  const u64 word = cell.write.load(std::memory_order_acquire);
  if ((word & (kSplitBit | kLockBit)) != kSplitBit || recorder.recording()) return false;
  const u32 own = own_view_of(state, time_in(word));
  if (own == 0) return false;
  return splits_[own].has(without_bytes(state.now), wanted, write) &&
         cell.write.load(std::memory_order_acquire) == word;
}

/// An atomic access meets what is plain, and goes to the thread's plane; or it meets the thread's own view, which is
/// made from the plain one when it is first needed.
void Online::access_own_view(OnlineThread& state, Cell& cell, uptr base, u64 wanted, bool write) {
  const u64 write_word = lock_cell(cell);
  u64 read_word = cell.read.load(std::memory_order_relaxed);
  u32 plain = (write_word & kSplitBit) != 0 ? time_in(write_word) : 0;
  if (plain == 0) plain = new_view(load_whole(cell, base, write_word, read_word), SplitCell::kPlain, 0, 0);
  const bool beside = plain != 0 && put_beside(state, plain, base, wanted, write);
  if (beside) drop_in_own_view(state, plain, wanted, write);
  u32 own = plain == 0 || beside ? 0 : own_view_of(state, plain);
  if (own == 0 && plain != 0 && !beside) {
    ByteStates copy = load_split(plain);
    split_vectors(copy);
    for (u64 left = kBytes; left != 0;) {
      const u32 byte = static_cast<u32>(__builtin_ctzll(left));
      const u64 group = copy.same_as(byte);
      left &= ~group;
      OnlineVariable x{{}, SplitCell::list_in(copy.ancillary[byte])};
      if (x.ancillary == 0) continue;
      engine_->clone_ancillary(x);
      for (u64 rest = group; rest != 0; rest &= rest - 1) {
        copy.ancillary[__builtin_ctzll(rest)] = x.ancillary;
      }
    }
    // The last of the chain: a plain access meets the views in the order of their making, as in a recorded trace.
    own = new_view(copy, state.slot, plain, 0);
    u32 last = plain;
    while (splits_[last].next != 0) last = splits_[last].next;
    splits_[last].next = own;
  }
  if (own != 0) drop_own_atomics(state, splits_[plain], base, wanted, write);
  if (own != 0 && !settle_view(state, splits_[own], wanted, write)) {
    ByteStates states = load_split(own);
    const ByteStates before = states;
    access_view(state, states, base, wanted, write);
    drop_vectors(before, states);
    store_split(own, states);
  }
  const u64 new_write = plain == 0 ? write_word : split_word(plain);
  const u64 new_read = plain == 0 ? read_word : 0;
  count_names(base, write_word, read_word, new_write, new_read);
  cell.read.store(new_read, std::memory_order_relaxed);
  unlock_cell(cell, new_write);
}

/// The same without the cell's lock, if the thread has been here before and has nothing to ask of the plain accesses.
/// See atomic_planes.hpp for the discipline.
bool Online::access_beside(ThreadState* thread, OnlineThread& state, Cell& cell, uptr base, u64 wanted, bool write) {
  const u64 word = cell.write.load(std::memory_order_acquire);
  if ((word & (kSplitBit | kLockBit)) != kSplitBit || state.slot >= AtomicPlanes::kMost || recorder.recording()) {
    return false;
  }
  SplitCell& plain = splits_[time_in(word)];
  if ((plain.atomics.load(std::memory_order_relaxed) & reader_bit(state.slot)) == 0) return false;
  Word* const words = atomic_planes.find(state.slot, base);
  if (OMEN_UNLIKELY(words == nullptr)) return false;
  const u32 changes = plain.changes;
  const u32 time = time_in(state.now);
  const Beside beside(words, time, wanted, write, changes);
  if (!beside.is_repeated) {
    if (plain.next != 0) return false;  // there may be a view of the thread's, which has to know
    if (!beside.fits || !(beside.has_met || are_plain_settled(state, plain, wanted, write))) return false;
    note_access(thread, state);
    put(words, time, wanted, write, changes);
    count(state, rule_of(write, true));
    // Either who takes the cell's lock sees the words, or it is seen here.
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  std::atomic_thread_fence(std::memory_order_acquire);
  return cell.write.load(std::memory_order_acquire) == word && plain.changes == changes;
}

/// Of a locked cell. False: it does not fit, or is for a view.
bool Online::put_beside(OnlineThread& state, u32 number, uptr base, u64 wanted, bool write) {
  if (!is_happens_before_ || state.slot >= AtomicPlanes::kMost || recorder.recording()) return false;
  Word* const words = atomic_planes.at(state.slot, base);
  if (words == nullptr) return false;
  SplitCell& plain = splits_[number];
  const u64 named = plain.atomics.load(std::memory_order_relaxed);
  if ((named & reader_bit(state.slot)) == 0) {  // what there is does not count
    for (u32 i = 0; i < 2 * AtomicPlanes::kHalves; ++i) words[i].store(0, std::memory_order_relaxed);
    plain.atomics.store(named | reader_bit(state.slot), std::memory_order_relaxed);
  }
  const u32 changes = plain.changes;
  const u32 time = time_in(state.now);
  const Beside beside(words, time, wanted, write, changes);
  if (!beside.fits) return false;
  if (!beside.has_met && !are_plain_settled(state, plain, wanted, write)) {
    // The analysis looks at a view that nobody keeps.
    ByteStates view = load_split(number);
    split_vectors(view);
    const ByteStates before = view;
    access_view(state, view, base, wanted, write);
    drop_vectors(before, view);
    give_back_vectors(view, ByteStates{});
  }
  put(words, time, wanted, write, changes);
  return true;
}

/// The bytes that a plain access writes, and has not written before in the thread's epoch. The caller holds the lock.
u64 Online::newly_written(const OnlineThread& state, const SplitCell& plain, u64 wanted, bool write) {
  u64 bytes = 0;
  for (u64 left = write && plain.has_atomics() ? wanted : 0; left != 0; left &= left - 1) {
    const u32 b = static_cast<u32>(__builtin_ctzll(left));
    bytes |= u64{plain.write[b].load(std::memory_order_relaxed) != without_bytes(state.now)} << b;
  }
  return bytes;
}

/// Are the atomic accesses in planes that a plain one may race with settled? `loaded`: as newly_written.
bool Online::are_atomics_settled(const OnlineThread& state, const SplitCell& plain, uptr base, u64 wanted, u64 loaded) {
  bool settled = true;
  for_each_atomic(state, plain, base, wanted, loaded, [&](u64 last, bool) { settled &= state.is_settled(last); });
  return settled;
}

/// A plain access meets the atomic ones in planes. The caller holds the lock.
void Online::meet_atomics(OnlineThread& state, SplitCell& plain, uptr base, u64 wanted, u64 loaded, bool write) {
  if (plain.atomics.load(std::memory_order_relaxed) != 0) {
    for_each_atomic(state, plain, base, wanted, loaded, [&](u64 last, bool wrote) {
      if (!state.is_settled(last)) report(state, epoch_in(last), wrote);
    });
  }
  // Whoever is ordered after the write is ordered after what was before, or has been told.
  if (write) {
    drop_atomics(plain, base, wanted);
  } else {
    plain.note_change();
    drop_own_atomics(state, plain, base, wanted, /*write=*/false);
  }
}

/// The other way round: an access in the thread's plane takes the place of what is in its view, if it has one. The
/// caller holds the lock.
void Online::drop_in_own_view(OnlineThread& state, u32 plain, u64 bytes, bool write) {
  const u32 own = splits_[plain].next == 0 ? 0 : own_view_of(state, plain);
  if (own == 0) return;
  ByteStates states = load_split(own);
  const ByteStates before = states;
  if (write) clear_states(states, bytes);
  for (u64 left = write ? 0 : bytes; left != 0; left &= left - 1) {
    const u32 b = static_cast<u32>(__builtin_ctzll(left));
    if ((states.read[b] & kVectorBit) != 0) {
      ReadSlot* const mine = read_vectors.find(time_in(states.read[b]), state.slot);
      if (mine != nullptr) mine->remove(u64{1} << b);
    } else if (is_own(state, states.read[b])) {
      states.read[b] = states.write[b];
    }
  }
  if (!write) drop_vectors(before, states);
  store_split(own, states);
}

/// The thread accesses these bytes, plainly or in its view, which takes the place of what is in its plane: a read of
/// its reads only. The caller holds the lock.
void Online::drop_own_atomics(const OnlineThread& state, const SplitCell& plain, uptr base, u64 bytes, bool write) {
  if (state.slot >= AtomicPlanes::kMost) return;
  if ((plain.atomics.load(std::memory_order_relaxed) & reader_bit(state.slot)) == 0) return;
  Word* const words = atomic_planes.find(state.slot, base);
  const auto drop = [&](Word& word) {
    const u64 earlier = word.load(std::memory_order_relaxed);
    if ((earlier & bytes) != 0) word.store(AtomicPlanes::without(earlier, bytes), std::memory_order_relaxed);
  };
  for (u32 half = 0; words != nullptr && half < AtomicPlanes::kHalves; ++half) {
    drop(AtomicPlanes::read(words, half));
    if (write) drop(AtomicPlanes::written(words, half));
  }
}

/// The plain accesses change, and these bytes were not accessed atomically any more. The caller holds the lock.
void Online::drop_atomics(SplitCell& plain, uptr base, u64 bytes) {
  plain.note_change();
  u64 named = bytes == kBytes ? 0 : plain.atomics.load(std::memory_order_relaxed);
  for (u64 left = named; left != 0; left &= left - 1) {
    const u32 slot = static_cast<u32>(__builtin_ctzll(left));
    Word* const words = atomic_planes.find(slot, base);
    u64 any = 0;
    for (u32 i = 0; words != nullptr && i < 2 * AtomicPlanes::kHalves; ++i) {
      const u64 word = words[i].load(std::memory_order_relaxed);
      if ((word & bytes) != 0) words[i].store(AtomicPlanes::without(word, bytes), std::memory_order_relaxed);
      any |= word & kBytes & ~bytes;
    }
    if (any == 0) named &= ~reader_bit(slot);
  }
  plain.atomics.store(named, std::memory_order_relaxed);
}

}  // namespace omen::rt::online
