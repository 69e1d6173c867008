/// \file
/// Accesses to split cells, as long as a look at the split cell decides: what is settled, or can be set aside.
#include "capture/runtime/online/online.hpp"

#include "capture/runtime/online/settling.hpp"
#include "capture/runtime/recorder.hpp"

namespace omen::rt::online {
namespace {

/// Do all of these bytes have the same last access, or vector?
bool have_one_state(const SplitCell& split, u64 wanted) {
  const u64 first = split.read[__builtin_ctzll(wanted)].load(std::memory_order_relaxed);
  bool same = true;
  for (u64 left = wanted; left != 0; left &= left - 1) {
    same &= split.read[__builtin_ctzll(left)].load(std::memory_order_relaxed) == first;
  }
  return same;
}

/// Those of the bytes that have the state of the first of them.
u64 bytes_alike(const SplitCell& view, u64 bytes) {
  const u32 first = static_cast<u32>(__builtin_ctzll(bytes));
  const u64 read = view.read[first].load(std::memory_order_relaxed);
  const u64 write = view.write[first].load(std::memory_order_relaxed);
  const u32 ancillary = view.ancillary[first];
  u64 alike = 0;
  for (u64 left = bytes; left != 0; left &= left - 1) {
    const u32 b = static_cast<u32>(__builtin_ctzll(left));
    const bool same = view.read[b].load(std::memory_order_relaxed) == read &&
                      view.write[b].load(std::memory_order_relaxed) == write && view.ancillary[b] == ancillary;
    alike |= u64{same} << b;
  }
  return alike;
}

/// Would the words of a cell do as well, for all bytes alike?
bool is_whole(const SplitCell& split) {
  return split.residue.is_empty() && split.ancillary[0] == 0 &&
         ((split.write[0].load(std::memory_order_relaxed) | split.read[0].load(std::memory_order_relaxed)) & kBound) ==
             0 &&
         bytes_alike(split, kBytes) == kBytes;
}

/// Is there nothing to learn for a read of this byte, which several threads have read? The first of them has seen to it
/// that the last write's sections are not lost.
bool may_read_shared(const OnlineThread& state, const SplitCell& view, u32 b, bool may_learn) {
  return (view.ancillary[b] == 0 || !may_learn || view.has_read_list(b)) &&
         state.is_harmless(view.write[b].load(std::memory_order_relaxed));
}

/// Is there nothing to learn of the earlier accesses that an access of these bytes comes after?
bool is_residue_harmless(const OnlineThread& state, const SplitCell& view, u64 wanted, bool write) {
  bool harmless = true;
  view.residue.for_each_before(wanted, write, [&](u64 word) { harmless &= state.is_harmless(word); });
  return harmless;
}

/// Is there nothing to learn for a read of these bytes? Without the cell's lock.
bool may_read_shared(const OnlineThread& state, const SplitCell& view, u64 wanted) {
  const bool may_learn = view.may_meet(state.sections);
  bool may = is_residue_harmless(state, view, wanted, /*write=*/false);
  for (u64 left = wanted; left != 0; left &= left - 1) {
    may = may && may_read_shared(state, view, static_cast<u32>(__builtin_ctzll(left)), may_learn);
  }
  return may;
}

/// An access to these bytes, the last one of its thread, is known to this thread, but perhaps not its sections. False:
/// it must be asked for, or there is no room.
bool set_aside(const OnlineThread& state, u64 access, u64 written, u64 bytes, Residue& residue) {
  if ((access & kBound) != 0 || !state.is_harmless(access) || !state.is_harmless(written)) return false;
  // A thread that wrote, and read later in another epoch, may have written in a section in which it still was.
  if (written != access && slot_in(written) == slot_in(access) && !state.needs_no_look(written)) {
    if ((written & kBound) != 0 || !residue.add(state, written, true, bytes)) return false;
  }
  return residue.add(state, access, written == access, bytes);
}

/// [Write Shared]: the same of all reads of these bytes in a vector. Bytes that nobody has read are as written.
bool set_readers_aside(const OnlineThread& state, u64 vector, u64 written, u64 bytes, Residue& residue) {
  bool fits = true;
  u64 unread = bytes;
  read_vectors.for_each(time_in(vector), [&](u32 slot, const ReadSlot& reads) {
    for (const u64 read : {reads.last.load(std::memory_order_relaxed), reads.before.load(std::memory_order_relaxed)}) {
      const u64 part = read & bytes;
      if (part == 0) continue;
      unread &= ~part;
      const u64 word = word_of({ReadSlot::time_of(read), ThreadId{slot}}, 0);
      fits = fits && (state.is_settled(word) ||
                      ((read & ReadSlot::kBoundBit) == 0 && set_aside(state, word, written, part, residue)));
    }
  });
  return fits && (unread == 0 || state.needs_no_look(written) || set_aside(state, written, written, unread, residue));
}

/// [Read Shared Owned]: the thread's own earlier reads of these bytes give way to one of now; those that are not
/// settled are set aside. False: there is no room.
bool set_own_reads_aside(const OnlineThread& state, const ReadSlot& mine, u64 bytes, Residue& residue) {
  bool fits = true;
  for (const u64 read : {mine.last.load(std::memory_order_relaxed), mine.before.load(std::memory_order_relaxed)}) {
    const u64 part = read & bytes;
    const Time time = ReadSlot::time_of(read);
    if (part == 0 || time == time_in(state.now) || state.is_own_time_settled(time)) continue;
    fits = fits && (read & ReadSlot::kBoundBit) == 0 &&
           residue.add(state, word_of({time, state.thread()}, 0), false, part);
  }
  return fits;
}

/// Bytes of a view have been written: their vectors know them no more. The caller holds the lock.
void leave_vectors(const SplitCell& view, const u64 (&before)[kCellBytes], u64 written) {
  for (u64 left = written; left != 0;) {
    const u64 vector = before[__builtin_ctzll(left)];
    u64 same = 0;
    for (u64 rest = left; rest != 0; rest &= rest - 1) {
      const u32 b = static_cast<u32>(__builtin_ctzll(rest));
      same |= u64{before[b] == vector} << b;
    }
    left &= ~same;
    if ((vector & kVectorBit) == 0) continue;
    bool named = false;
    for (const std::atomic<u64>& read : view.read) named |= read.load(std::memory_order_relaxed) == vector;
    if (named) {
      read_vectors.for_each(time_in(vector), [&](u32, ReadSlot& reads) { reads.remove(same); });
    } else {
      read_vectors.give_back(time_in(vector));
    }
  }
}

}  // namespace

/// As `settle`, for bytes of a split cell; or a read of theirs into a vector that is just theirs.
bool Online::settle_split(OnlineThread& state, Cell& cell, uptr base, u64 seen, u64 wanted, bool write, Action log) {
  SplitCell& split = splits_[time_in(seen)];
  const u32 byte = static_cast<u32>(__builtin_ctzll(wanted));
  const u64 read = split.read[byte].load(std::memory_order_relaxed);
  if (!write && (read & kVectorBit) != 0 && (seen & kLockBit) == 0 && !split.has_atomics() &&
      have_one_state(split, wanted) && may_read_shared(state, split, wanted)) {
    log();
    if (read_shared(state, cell, seen, split.read[byte], read, wanted)) {
      hint_at_repetition(state, cell, wanted);
      return true;
    }
  }
  if ((seen & kLockBit) != 0 || !cell.write.compare_exchange_strong(seen, seen | kLockBit, std::memory_order_acquire,
                                                                    std::memory_order_relaxed)) {
    return false;
  }
  const u64 loaded = newly_written(state, split, wanted, write);
  bool done = are_atomics_settled(state, split, base, wanted, loaded) && settle_or_learn(state, split, wanted, write);
  for (u32 view = split.next; view != 0 && done; view = splits_[view].next) {
    SplitCell& theirs = splits_[view];
    done = theirs.has(without_bytes(state.now), wanted, write) || settle_view(state, theirs, wanted, write);
  }
  if (!done) {  // what has been done in vain is done again, which changes nothing
    split.note_change();
    unlock_cell(cell, seen);
    return false;
  }
  log();
  meet_atomics(state, split, base, wanted, loaded, write);
  u64 next = seen;
  if (!split.has_atomics()) {
    u64 next_read = last_of_split(state, cell.read.load(std::memory_order_relaxed), wanted);
    if (is_whole(split)) unsplit(state, base, seen, next, next_read);
    cell.read.store(next_read, std::memory_order_relaxed);
  }
  unlock_cell(cell, next);
  return true;
}

/// A split cell, of which there is one view, becomes the words of a cell, if they can tell as much.
void Online::unsplit(OnlineThread& state, uptr base, u64 seen, u64& write_word, u64& read_word) {
  ByteStates states = load_split(time_in(seen));
  const ByteStates apart = states;
  const bool whole = fit(states, base, &state, write_word, read_word);
  give_back_vectors(apart, states);
  if (!whole) return store_split(time_in(seen), states);
  splits_.give_back(time_in(seen));
  count_names(base, seen, 0, write_word, read_word);
}

/// Bytes of one view that need no look at the analysis: their earlier accesses are settled, or can be set aside. The
/// caller holds the lock.
bool Online::settle_view(OnlineThread& state, SplitCell& view, u64 wanted, bool write) {
  // Of the ancillary sections there is something to learn for who is in a section on one of their locks. They stay.
  const bool may_learn = view.may_meet(state.sections);
  const bool had_residue = !view.residue.is_empty();
  Residue residue;
  if (had_residue) {
    if (!is_residue_harmless(state, view, wanted, write)) return false;
    residue = view.residue;
    residue.forget_settled(state, wanted, write);
  }
  bool sets_aside = false;
  bool any_vector = false;
  for (u64 left = wanted; left != 0;) {
    const u32 b = static_cast<u32>(__builtin_ctzll(left));
    const u64 group = bytes_alike(view, left);
    left &= ~group;
    const u64 read = view.read[b].load(std::memory_order_relaxed);
    const bool is_vector = (read & kVectorBit) != 0;
    any_vector |= is_vector;
    if (is_vector && !write) {
      const ReadSlot* const mine = read_vectors.find(time_in(read), state.slot);
      if (mine == nullptr || !may_read_shared(state, view, b, may_learn) ||
          !set_own_reads_aside(state, *mine, group, residue)) {
        return false;
      }
      sets_aside = true;
      continue;
    }
    if (OMEN_UNLIKELY(is_vector || !state.needs_no_look(read))) {
      const u64 last_write = view.write[b].load(std::memory_order_relaxed);
      if (!(is_vector ? set_readers_aside(state, read, last_write, group, residue)
                      : set_aside(state, read, last_write, group, residue))) {
        return false;
      }
      sets_aside = true;
    }
    const bool is_own = !is_vector && slot_in(read) == state.slot && view.has_own_list(b);
    if (view.ancillary[b] != 0 && may_learn && !is_own) return false;
  }
  u64 before[kCellBytes] = {};
  if (OMEN_UNLIKELY(any_vector)) {
    for (u32 b = 0; b < kCellBytes; ++b) before[b] = view.read[b].load(std::memory_order_relaxed);
  }
  const u64 now = without_bytes(state.now);
  for (u64 left = wanted; left != 0; left &= left - 1) {
    const u32 b = static_cast<u32>(__builtin_ctzll(left));
    const u64 read = view.read[b].load(std::memory_order_relaxed);
    const bool is_vector = (read & kVectorBit) != 0;
    if (is_vector && !write) {
      if (!add_last_read(state, *read_vectors.find(time_in(read), state.slot), u64{1} << b)) return false;
      continue;
    }
    if ((is_vector || slot_in(read) != state.slot) && view.has_own_list(b)) view.no_own_list(b);
    if (write) view.write[b].store(now, std::memory_order_relaxed);
    view.read[b].store(now, std::memory_order_relaxed);
  }
  if (OMEN_UNLIKELY(any_vector && write)) leave_vectors(view, before, wanted);
  if ((had_residue || sets_aside) && residue != view.residue) view.residue = residue;
  // An atomic write is not in the plain view, whose kept reads they are.
  if (write && view.owner == SplitCell::kPlain) view.residue.forget_settled_kept(state, wanted);
  count(state, any_vector ? (write ? Rule::WriteShared : Rule::ReadShared) : rule_of(write, true));
  return true;
}

/// The thread takes order from an access that it conflicts with, as the residue has it.
void Online::learn_from(OnlineThread& state, u64 word) {
  if (state.is_harmless(word)) return;
  if ((word & Residue::kSpan) != 0) {
    engine_->learn_of_all(state, epoch_in(word));
  } else {
    engine_->learn(state, epoch_in(word));
  }
}

/// The thread accesses these bytes, and takes order from what it conflicts with: byte by byte, as far as it does not
/// race with the last access. Is there nothing left to learn?
bool Online::learn_from(OnlineThread& state, const SplitCell& view, u64 wanted, bool write) {
  const auto learn = [&](u64 word) {
    learn_from(state, word);
    return state.is_harmless(word);
  };
  for (u64 left = wanted; left != 0; left &= left - 1) {
    const u32 b = static_cast<u32>(__builtin_ctzll(left));
    const u64 byte = u64{1} << b;
    u64 last = (write ? view.read[b] : view.write[b]).load(std::memory_order_relaxed);
    view.residue.for_each_before(byte, write, learn);
    if ((last & kVectorBit) != 0) {
      bool known = true;
      bool unread = true;
      read_vectors.for_each(time_in(last), [&](u32 slot, const ReadSlot& reads) {
        const u32 time = reads.time_of_any(byte);
        if (time == 0) return;
        unread = false;
        const u64 word = word_of({time, ThreadId{slot}}, 0);
        known &= reads.bound_of(byte) == time ? state.is_harmless(word) : learn(word);
      });
      if (!known) return false;
      if (!unread) continue;
      last = view.write[b].load(std::memory_order_relaxed);
    }
    if (((last & kBound) != 0 && !state.is_harmless(last)) || !learn(last)) return false;
  }
  return true;
}

/// Bytes that have one history, without ancillary sections, and `last` as their last access or vector: as above, for
/// states that have been taken out, and bounds that are epochs again. False: they race, or there is no room.
bool Online::settle_group(OnlineThread& state, ByteStates& states, u64 last, u64 group, bool write) {
  if (recorder.recording()) return false;
  const u64 now = without_bytes(state.now);
  const u64 written = states.write[__builtin_ctzll(group)];
  const bool is_vector = (last & kVectorBit) != 0;
  if ((written & kBound) == 0) learn_from(state, written);
  if (is_vector && !write) {
    ReadSlot* const mine = read_vectors.find(time_in(last), state.slot);
    const bool done = mine != nullptr && state.is_harmless(written) &&
                      set_own_reads_aside(state, *mine, group, states.residue) && add_last_read(state, *mine, group);
    if (done) count(state, Rule::ReadShared);
    return done;
  }
  if (is_vector) {
    read_vectors.for_each(time_in(last), [&](u32 slot, const ReadSlot& reads) {
      const u32 time = reads.time_of_any(group);
      if (time != 0 && reads.bound_of(group) == 0) learn_from(state, word_of({time, ThreadId{slot}}, 0));
    });
    if (!set_readers_aside(state, last, written, group, states.residue)) return false;
    read_vectors.for_each(time_in(last), [&](u32, ReadSlot& reads) { reads.remove(group); });
  } else {
    if (write && (last & kBound) == 0) learn_from(state, last);
    if (!set_aside(state, last, written, group, states.residue)) return false;
  }
  for (u64 left = group; left != 0; left &= left - 1) {
    const u32 b = static_cast<u32>(__builtin_ctzll(left));
    if (write) states.write[b] = now;
    states.read[b] = now;
  }
  count(state, is_vector ? Rule::WriteShared : rule_of(write, slot_in(last) == state.slot));
  return true;
}

/// Bytes of one view, once the thread has learned what there is to learn.
bool Online::settle_or_learn(OnlineThread& state, SplitCell& view, u64 wanted, bool write) {
  return settle_view(state, view, wanted, write) ||
         (learn_from(state, view, wanted, write) && settle_view(state, view, wanted, write));
}

/// A whole cell whose earlier accesses are settled once the thread has learned from them, or can be set aside: it is
/// split for that. False: the cell says what it said.
bool Online::settle_aside(OnlineThread& state, Cell& cell, uptr base, u64 wanted, bool write) {
  const u64 write_word = lock_cell(cell);
  u64 read_word = cell.read.load(std::memory_order_relaxed);
  constexpr u64 kReadBySeveral = kVectorBit | kPlanesBit;
  if ((write_word & kSplitBit) != 0 || (!write && (read_word & kReadBySeveral) != 0)) {
    unlock_cell(cell, write_word);
    return false;
  }
  const u64 read_before = read_word;
  const u64 split = put_aside(load_whole(cell, base, write_word, read_word), false);
  SplitCell& view = splits_[time_in(split)];
  if (split == 0 || !settle_or_learn(state, view, wanted, write)) {
    const bool stays = split != 0 && view.residue.keepers() != 0;  // a vector says nothing of what is kept
    if (stays) {
      count_names(base, write_word, read_before, split, 0);
      cell.read.store(0, std::memory_order_relaxed);
    } else if (split != 0) {
      splits_.give_back(time_in(split));
    }
    unlock_cell(cell, stays ? split : write_word);
    return false;
  }
  u64 new_write = split;
  u64 new_read = last_of_split(state, 0, wanted);
  count_names(base, write_word, read_before, new_write, 0);
  unsplit(state, base, split, new_write, new_read);
  cell.read.store(new_read, std::memory_order_relaxed);
  unlock_cell(cell, new_write);
  return true;
}

/// Has the thread made this access to a split cell before, in its epoch?
bool Online::is_split_now(const OnlineThread& state, const Cell& cell, u64 word, u64 wanted, bool write) {
  const SplitCell& split = splits_[time_in(word)];
  if (split.has_atomics()) return false;
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
