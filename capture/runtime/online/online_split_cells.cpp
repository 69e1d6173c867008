/// \file
/// Accesses to split cells, as long as a look at the split cell decides: what is settled, or can be set aside.
#include "capture/runtime/online/online.hpp"

#include "capture/runtime/online/settling.hpp"

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
  return !split.stays && split.residue.is_empty() && split.ancillary[0] == 0 &&
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

/// The same of all these bytes, without the cell's lock.
bool may_read_shared(const OnlineThread& state, const SplitCell& view, u64 wanted) {
  const bool may_learn = view.may_meet(state.sections);
  bool may = view.residue.is_empty();
  for (u64 left = wanted; left != 0; left &= left - 1) {
    may = may && may_read_shared(state, view, static_cast<u32>(__builtin_ctzll(left)), may_learn);
  }
  return may;
}

}  // namespace

/// As `settle`, for bytes of a split cell; or a read of theirs into a vector that is just theirs.
bool Online::settle_split(OnlineThread& state, Cell& cell, uptr base, u64 seen, u64 wanted, bool write, Action log) {
  SplitCell& split = splits_[time_in(seen)];
  const u32 byte = static_cast<u32>(__builtin_ctzll(wanted));
  const u64 read = split.read[byte].load(std::memory_order_relaxed);
  if (write && (read & kVectorBit) != 0) return false;
  if ((read & kVectorBit) != 0 && (seen & kLockBit) == 0 && split.next == 0 && have_one_state(split, wanted) &&
      may_read_shared(state, split, wanted)) {
    log();
    if (!read_shared(state, cell, seen, split.read[byte], read, wanted)) return false;
    hint_at_repetition(state, cell, wanted);
    return true;
  }
  if ((seen & kLockBit) != 0 || !cell.write.compare_exchange_strong(seen, seen | kLockBit, std::memory_order_acquire,
                                                                    std::memory_order_relaxed)) {
    return false;
  }
  bool done = settle_or_learn(state, split, wanted, write);
  for (u32 view = split.next; view != 0 && done; view = splits_[view].next) {
    if (splits_[view].owner != state.slot) done = settle_view(state, splits_[view], wanted, write);
  }
  if (!done) {  // what has been done in vain is done again, which changes nothing
    unlock_cell(cell, seen);
    return false;
  }
  log();
  u64 next = seen;
  if (split.next == 0 && is_whole(split)) {
    const u64 whole_write = split.write[0].load(std::memory_order_relaxed);
    const u64 whole_read = split.read[0].load(std::memory_order_relaxed);
    next = whole_write == 0 ? 0 : whole_write | kBytes;
    cell.read.store(whole_read == whole_write ? 0 : whole_read | kBytes, std::memory_order_relaxed);
    splits_.give_back(time_in(seen));
    count_names(base, seen, 0, next, 0);
  } else if (split.next == 0) {
    cell.read.store(last_of_split(state, cell.read.load(std::memory_order_relaxed), wanted), std::memory_order_relaxed);
  }
  unlock_cell(cell, next);
  return true;
}

/// The last access to these bytes, which are alike, is known to the thread, but perhaps not its sections. False: it
/// must be asked for, or there is no room.
bool Online::set_last_aside(const OnlineThread& state, const SplitCell& view, u64 bytes, Residue& residue) const {
  const bool in_order = !state.own_epochs.exists();
  const u32 byte = static_cast<u32>(__builtin_ctzll(bytes));
  const u64 last = view.read[byte].load(std::memory_order_relaxed);
  const u64 written = view.write[byte].load(std::memory_order_relaxed);
  if ((last & kBound) != 0 || !state.is_harmless(last) || !state.is_harmless(written)) return false;
  // A thread that wrote, and read later in another epoch, may have written in a section in which it still was.
  if (written != last && slot_in(written) == slot_in(last) && !state.needs_no_look(written)) {
    if ((written & kBound) != 0 || !residue.add(written, true, bytes, in_order)) return false;
  }
  return residue.add(last, written == last, bytes, in_order);
}

/// Bytes of one view that need no look at the analysis: their earlier accesses are settled, or can be set aside. The
/// caller holds the lock.
bool Online::settle_view(OnlineThread& state, SplitCell& view, u64 wanted, bool write) {
  // Of the ancillary sections there is something to learn for who is in a section on one of their locks. They stay.
  const bool may_learn = view.may_meet(state.sections);
  bool harmless = true;
  const bool had_residue = !view.residue.is_empty();
  Residue residue;
  if (had_residue) {
    view.residue.for_each_before(wanted, write, [&](u64 word) { harmless &= state.is_harmless(word); });
    if (!harmless) return false;
    residue = view.residue;
    if (write) residue.forget_settled(state, wanted);
  }
  bool sets_aside = false;
  for (u64 left = wanted; left != 0;) {
    const u32 b = static_cast<u32>(__builtin_ctzll(left));
    const u64 group = bytes_alike(view, left);
    left &= ~group;
    const u64 read = view.read[b].load(std::memory_order_relaxed);
    if ((read & kVectorBit) != 0) {
      if (write || !may_read_shared(state, view, b, may_learn)) return false;
      continue;
    }
    if (OMEN_UNLIKELY(!state.needs_no_look(read))) {
      if (!set_last_aside(state, view, group, residue)) return false;
      sets_aside = true;
    }
    if (view.ancillary[b] != 0 && may_learn && (slot_in(read) != state.slot || !view.has_own_list(b))) return false;
  }
  const u64 now = without_bytes(state.now);
  for (u64 left = wanted; left != 0; left &= left - 1) {
    const u32 b = static_cast<u32>(__builtin_ctzll(left));
    const u64 read = view.read[b].load(std::memory_order_relaxed);
    if ((read & kVectorBit) != 0) {
      ReadSlot* const mine = read_vectors.find(time_in(read), state.slot);
      if (mine == nullptr || !add_shared_read(state, *mine, u64{1} << b)) return false;
      continue;
    }
    if (slot_in(read) != state.slot && view.has_own_list(b)) view.no_own_list(b);
    if (write) view.write[b].store(now, std::memory_order_relaxed);
    view.read[b].store(now, std::memory_order_relaxed);
  }
  if ((had_residue || sets_aside) && residue != view.residue) view.residue = residue;
  if (OMEN_UNLIKELY(stats_)) state.counters.count(rule_of(write, true));
  return true;
}

/// The thread accesses these bytes, and takes order from what it conflicts with: byte by byte, as far as it does not
/// race with the last access. Is there nothing left to learn?
bool Online::learn_from(OnlineThread& state, const SplitCell& view, u64 wanted, bool write) {
  const auto learn = [&](u64 word) {
    if (!state.is_harmless(word)) engine_->learn(state, epoch_in(word));
    return state.is_harmless(word);
  };
  for (u64 left = wanted; left != 0; left &= left - 1) {
    const u32 b = static_cast<u32>(__builtin_ctzll(left));
    const u64 last = (write ? view.read[b] : view.write[b]).load(std::memory_order_relaxed);
    if ((last & kVectorBit) != 0 || ((last & kBound) != 0 && !state.is_harmless(last))) return false;
    view.residue.for_each_before(u64{1} << b, write, learn);
    if (!learn(last)) return false;
  }
  return true;
}

/// Bytes of one view, once the thread has learned what there is to learn.
bool Online::settle_or_learn(OnlineThread& state, SplitCell& view, u64 wanted, bool write) {
  return settle_view(state, view, wanted, write) ||
         (learn_from(state, view, wanted, write) && settle_view(state, view, wanted, write));
}

/// A cell with plain words whose earlier accesses are settled once the thread has learned from them, or can be set
/// aside: it is split for that. False: nothing has changed.
bool Online::settle_aside(OnlineThread& state, Cell& cell, uptr base, u64 wanted, bool write) {
  const u64 write_word = lock_cell(cell);
  const u64 read_word = cell.read.load(std::memory_order_relaxed);
  if (((write_word & kSplitBit) | (read_word & (kVectorBit | kPlanesBit))) != 0) {
    unlock_cell(cell, write_word);
    return false;
  }
  const u64 split = put_aside(load_words(write_word, read_word), false);
  SplitCell& view = splits_[time_in(split)];
  if (split == 0 || !settle_or_learn(state, view, wanted, write)) {
    if (split != 0) splits_.give_back(time_in(split));
    unlock_cell(cell, write_word);
    return false;
  }
  u64 new_write = split;
  u64 new_read = last_of_split(state, 0, wanted);
  ByteStates states = load_split(time_in(split));
  if (fit(states, base, &state, new_write, new_read)) splits_.give_back(time_in(split));
  count_names(base, write_word, read_word, new_write, new_read);
  cell.read.store(new_read, std::memory_order_relaxed);
  unlock_cell(cell, new_write);
  return true;
}

/// Has the thread made this access to a split cell before, in its epoch?
bool Online::is_split_now(const OnlineThread& state, const Cell& cell, u64 word, u64 wanted, bool write) {
  const SplitCell& split = splits_[time_in(word)];
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
