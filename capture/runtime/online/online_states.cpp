/// \file
/// Cells that the analysis looks at: their bytes' states, taken out and put back, wherever they are.
#include "capture/runtime/online/online.hpp"
#include "capture/runtime/online/settling.hpp"
#include "capture/runtime/recorder.hpp"

namespace omen::rt::online {

ByteStates Online::load_words(u64 write_word, u64 read_word) {
  ByteStates states;
  const auto state_in = [](u64 word, u32 b, u64 bound) -> u64 {
    if ((word >> b & 1) != 0) return without_bytes(word);
    return (older_in(word) >> b & 1) != 0 ? without_bytes(word) | bound : 0;
  };
  for (u32 b = 0; b < kCellBytes; ++b) {
    states.write[b] = state_in(write_word, b, kBound);
    // A vector is for all bytes, and says itself who read which.
    const u64 read = (read_word & kVectorBit) != 0 ? without_bytes(read_word) : state_in(read_word, b, kReadBound);
    states.read[b] = read != 0 ? read : states.write[b];
    states.ancillary[b] = 0;
  }
  states.list_locks = 0;
  return states;
}

ByteStates Online::load_whole(Cell& cell, uptr base, u64 write_word, u64& read_word) {
  Residue kept;
  if ((read_word & kPlanesBit) != 0) read_word = planes_to_vector(cell, base, read_word, kept);
  ByteStates states = load_words(write_word, read_word);
  states.residue = kept;
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
  states.list_locks = split.list_locks.load(std::memory_order_relaxed);
  states.residue = split.residue;
  return states;
}

void Online::store_split(u32 number, const ByteStates& states) {
  SplitCell& split = splits_[number];
  for (u32 b = 0; b < kCellBytes; ++b) {
    split.write[b].store(states.write[b], std::memory_order_relaxed);
    split.read[b].store(states.read[b], std::memory_order_relaxed);
    split.ancillary[b] = states.ancillary[b];
  }
  split.list_locks.store(states.list_locks, std::memory_order_relaxed);
  split.residue = states.residue;
}

u32 Online::new_view(const ByteStates& states, u32 owner, u32 first, u32 next) {
  const u32 number = splits_.take();
  if (number == 0) return 0;
  store_split(number, states);
  splits_[number].first = owner == SplitCell::kPlain ? number : first;
  splits_[number].owner = static_cast<u16>(owner);
  splits_[number].next = next;
  splits_[number].stays = false;
  splits_[number].changes = states.is_empty() ? 0 : 1;
  splits_[number].atomics.store(0, std::memory_order_relaxed);
  return number;
}

u64 Online::put_aside(const ByteStates& states, bool stays) {
  const u32 taken = new_view(states, SplitCell::kPlain, 0, 0);
  if (taken == 0) return 0;
  splits_[taken].stays = stays;
  return split_word(taken);
}

namespace {

/// Adds what a byte's word says of its last read to a vector. False: it does not fit.
bool add_to_vector(ReadVectors::Number vector, u64 read, u64 bytes) {
  ReadSlot* const slot = read_vectors.find(vector, slot_in(read));
  if (slot == nullptr) return false;
  return (read & kBound) != 0 ? slot->add_bound(time_in(read), bytes) : slot->add(time_in(read), bytes, 0);
}

/// The words of some bytes in one; 0 if they do not fit. A thread's bounds may be raised to its later epoch.
u64 pack_epochs(const u64 (&words)[kCellBytes], u64 which) {
  u64 epoch = 0;
  for (u64 left = which; left != 0; left &= left - 1) {
    const u64 word = words[__builtin_ctzll(left)];
    if ((word & kBound) != 0) continue;
    if (epoch != 0 && epoch != word) return 0;
    epoch = word;
  }
  const bool exact = epoch != 0;
  u64 packed = 0;
  for (u64 left = which; left != 0; left &= left - 1) {
    const u32 b = static_cast<u32>(__builtin_ctzll(left));
    const u64 word = without_bytes(words[b]);
    if ((words[b] & kBound) == 0) {
      packed |= u64{1} << b;
      continue;
    }
    packed |= kBound << b;
    if (epoch == 0) epoch = word;
    if (slot_in(epoch) != slot_in(word) || (exact && time_in(word) > time_in(epoch))) return 0;
    if (time_in(word) > time_in(epoch)) epoch = word;
  }
  return epoch | packed;
}

/// The same as bounds of the thread's own, which has settled all of them. What they were goes to its log.
u64 pack_as_bounds(OnlineThread& by, const u64 (&words)[kCellBytes], u64 which, uptr base, bool write) {
  const u64 now = without_bytes(by.now);
  u64 packed = now;
  for (u64 left = which; left != 0; left &= left - 1) {
    const u32 b = static_cast<u32>(__builtin_ctzll(left));
    if (words[b] != now && !by.needs_no_look(words[b])) return 0;
    packed |= (words[b] == now ? u64{1} : kBound) << b;
  }
  for (u64 left = older_in(packed); left != 0;) {
    const u32 b = static_cast<u32>(__builtin_ctzll(left));
    u64 same = 0;
    for (u64 rest = left; rest != 0; rest &= rest - 1) {
      const u32 c = static_cast<u32>(__builtin_ctzll(rest));
      same |= u64{words[b] == words[c]} << c;
    }
    left &= ~same;
    if (slot_in(words[b]) == by.slot) continue;  // it is in the log
    ++by.other_records;
    by.log->add_replaced(base, same, write, without_bytes(words[b]) | ((words[b] & kBound) != 0 ? kBound : 0));
  }
  return packed;
}

}  // namespace

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
      if (!add_to_vector(time_in(first), read, u64{1} << b)) return false;
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
  if (!before.has_vector() && !states.has_vector()) return;
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
  if (!named.has_vector()) return;
  for (u32 b = 0; b < kCellBytes; ++b) {
    const u64 read = named.read[b];
    if ((read & kVectorBit) == 0 || states.names(read) || (done != nullptr && done->names(read))) continue;
    bool repeated = false;
    for (u32 c = 0; c < b; ++c) repeated |= named.read[c] == read;
    if (!repeated) read_vectors.give_back(time_in(read));
  }
}

/// Reads of different threads, or epochs, as one vector. False: they do not fit.
bool Online::share_reads(ByteStates& states) {
  const ReadVectors::Number vector = read_vectors.take(slots_in_use(), online::is_hazard);
  for (u32 b = 0; b < kCellBytes; ++b) {
    if (states.read[b] != states.write[b] && !add_to_vector(vector, states.read[b], u64{1} << b)) {
      read_vectors.give_back(vector);
      return false;
    }
  }
  for (u32 b = 0; b < kCellBytes; ++b) {
    if (states.read[b] != states.write[b]) states.read[b] = vector_word(vector, 0);
  }
  return true;
}

bool Online::fit(ByteStates& states, uptr base, OnlineThread* by, u64& write_word, u64& read_word) {
  if (states.residue.has_words()) return false;
  const u64 keepers = states.residue.keepers();  // kept reads stay beside planes
  u64 written = 0;
  u64 read = 0;
  for (u32 b = 0; b < kCellBytes; ++b) {
    if (states.ancillary[b] != 0) return false;
    written |= u64{states.write[b] != 0} << b;
    read |= u64{states.read[b] != states.write[b]} << b;
  }
  const auto pack = [&](const u64(&words)[kCellBytes], u64 which, bool write) {
    const u64 packed = pack_epochs(words, which);
    return packed != 0 || by == nullptr ? packed : pack_as_bounds(*by, words, which, base, write);
  };
  const u64 packed_write = written == 0 ? 0 : pack(states.write, written, true);
  if (written != 0 && packed_write == 0) return false;
  u64 packed_read = 0;
  if (read != 0 && !states.has_vector() && keepers == 0) packed_read = pack(states.read, read, false);
  if (read != 0 && packed_read == 0) {
    if (!(states.has_vector() ? unite_vectors(states) : share_reads(states))) return false;
    u64 vector = 0;
    for (u32 b = 0; b < kCellBytes; ++b) {
      if (states.read[b] == states.write[b]) continue;
      vector = states.read[b];
      packed_read |= vector | (u64{1} << b);
    }
    if (const u64 planes = recorder.recording() ? 0 : vector_to_planes(time_in(vector), base, keepers); planes != 0) {
      packed_read = planes;
      for (u64& word : states.read) {
        if (word == vector) word = planes;
      }
    }
  }
  if (keepers != 0 && (packed_read & kPlanesBit) == 0) return false;
  write_word = packed_write;
  read_word = packed_read;
  return true;
}

/// Leaves of the shadow count the cells that name a split cell or a vector.
void Online::count_names(uptr base, u64 write_before, u64 read_before, u64 write_after, u64 read_after) {
  constexpr u64 kOutside = kVectorBit | kPlanesBit;
  const bool before = ((write_before & kSplitBit) | (read_before & kOutside)) != 0;
  const bool after = ((write_after & kSplitBit) | (read_after & kOutside)) != 0;
  if (before == after) return;
  shadow_.outside_names(base).fetch_add(after ? 1 : ~u32{0}, std::memory_order_relaxed);
}

/// The analysis' part, for each group of bytes that have one history.
bool Online::access_view(OnlineThread& state, ByteStates& states, uptr base, u64 wanted, bool write) {
  const bool resolved = resolve(state, states, base, wanted, write);
  if (!write) {
    // The thread's read must fit into its slot of each vector.
    bool fits = true;
    for (u64 left = wanted; left != 0; left &= left - 1) {
      const u64 read = states.read[__builtin_ctzll(left)];
      if ((read & kVectorBit) == 0) continue;
      const ReadSlot* const mine = read_vectors.find(time_in(read), state.slot);
      fits &= mine == nullptr || mine->has_room(time_in(state.now), wanted, state.own_settled());
    }
    if (!fits) split_vectors(states);
  }
  for (u64 left = wanted; left != 0;) {
    const u32 byte = static_cast<u32>(__builtin_ctzll(left));
    const u64 group = states.same_as(byte);
    u64 part = group & wanted;
    const u64 write_state = states.write[byte];
    u64 last = states.read[byte];
    if ((last & kVectorBit) != 0) {
      // Of the bytes that have the vector, those that somebody has read; or those that nobody has, which are as
      // written. A write takes order from the reads of a variable before it is asked whether it races with them: so
      // bytes that were read at different times are one after the other.
      const u64 read = read_vectors.bytes_read(time_in(last));
      const bool is_read = (read >> byte & 1) != 0;
      part &= is_read ? read : ~read;
      if (write) part &= read_vectors.bytes_alike(time_in(last), u64{1} << byte);
      if (!is_read) last = write_state;
    }
    left &= ~part;
    OnlineVariable x{{epoch_in(write_state), epoch_in(last)}, SplitCell::list_in(states.ancillary[byte])};
    x.read_bound = (last & kBound) != 0;
    const Epoch now = state.epoch();
    states.residue.for_each_before(part, write, [&](u64 word) { learn_from(state, word); });
    if (!x.words.is_shared() && x.ancillary == 0 && state.needs_no_look(last)) {
      if ((write ? write_state : last) == without_bytes(state.now)) continue;
      count(state, rule_of(write, x.words.read.thread == now.thread));
      x.words = {write ? now : x.words.write, now};
    } else if (x.ancillary == 0 && settle_group(state, states, last, part, write)) {
      continue;
    } else {
      // Bytes that are not accessed keep the list.
      if (x.ancillary != 0 && part != group) engine_->clone_ancillary(x);
      // A bound that is left needs no look.
      if ((write_state & kBound) != 0) x.words.write = {};
      for (u64 others = part ^ kBytes; others != 0; others &= others - 1) {
        const u32 b = static_cast<u32>(__builtin_ctzll(others));
        x.other_lists[b] = SplitCell::list_in(states.ancillary[b]);
      }
      engine_->access(state, x, part, write);
      states.list_locks = x.list_locks;
    }
    const u64 write_word = write ? word_of_access(x.words.write) : write_state;
    const u64 read_word = word_of_access(x.words.read);
    for (u64 rest = part; rest != 0; rest &= rest - 1) {
      const u32 b = static_cast<u32>(__builtin_ctzll(rest));
      states.write[b] = write_word;
      states.read[b] = read_word;
      states.ancillary[b] = x.ancillary | x.list_kind;
    }
  }
  states.residue.forget_settled(state, wanted, write);
  return resolved;
}

/// Any cell, locked; unlocks it.
OMEN_NOINLINE void Online::access_generally(OnlineThread& state, Cell& cell, uptr base, u64 write_word, u64 wanted,
                                            bool write) {
  u64 read_word = cell.read.load(std::memory_order_relaxed);
  const u32 number = (write_word & kSplitBit) != 0 ? time_in(write_word) : 0;
  ByteStates states = number != 0 ? load_split(number) : load_whole(cell, base, write_word, read_word);
  const ByteStates before = states;
  const bool resolved = access_view(state, states, base, wanted, write);
  if (write) states.residue.forget_settled_kept(state, wanted);
  if (resolved && number != 0) splits_[number].stays = true;
  const u32 others = number != 0 ? splits_[number].next : 0;
  for (u32 view = others; view != 0; view = splits_[view].next) {
    ByteStates theirs = load_split(view);
    const ByteStates theirs_before = theirs;
    access_view(state, theirs, base, wanted, write);
    drop_vectors(theirs_before, theirs);
    store_split(view, theirs);
  }
  if (number != 0) {
    SplitCell& plain = splits_[number];
    meet_atomics(state, plain, base, wanted, newly_written(state, plain, wanted, write), write);
  }
  const bool atomic_too = number != 0 && splits_[number].has_atomics();
  u64 new_write = 0;
  u64 new_read = 0;
  drop_vectors(before, states);
  const ByteStates apart = states;
  // Where a bound had to be resolved there are to be no new ones, or it would be done again and again.
  const bool whole = !atomic_too && !(number != 0 && splits_[number].stays) &&
                     fit(states, base, resolved ? nullptr : &state, new_write, new_read);
  give_back_vectors(apart, states);
  if (whole) {
    if (number != 0) splits_.give_back(number);
  } else if (number != 0) {
    store_split(number, states);
    new_write = write_word;
    new_read = atomic_too ? 0 : last_of_split(state, read_word, wanted);
  } else {
    new_write = put_aside(states, resolved || (read_word & kVectorBit) != 0);
    new_read = new_write == 0 ? 0 : last_of_split(state, 0, wanted);
  }
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
    OnlineVariable x{{}, SplitCell::list_in(states.ancillary[byte])};
    if (part == group && x.ancillary != 0) engine_->forget_ancillary(x);
    if ((states.read[byte] & kVectorBit) != 0) {
      read_vectors.for_each(time_in(states.read[byte]), [&](u32, ReadSlot& reads) { reads.remove(part); });
    }
    states.residue.drop(part);
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
  const u64 read_word = cell.read.load(std::memory_order_relaxed);
  if ((read_word & kPlanesBit) != 0) {
    const u64 left = clear_planes(base, read_word, bytes);
    const u64 written = drop_bytes(write_word, bytes);
    count_names(base, write_word, read_word, written, left);
    cell.read.store(left, std::memory_order_relaxed);
    unlock_cell(cell, written);
    return;
  }
  if (((write_word & kSplitBit) | (read_word & kVectorBit)) == 0) {
    cell.read.store(drop_bytes(read_word, bytes), std::memory_order_relaxed);
    unlock_cell(cell, drop_bytes(write_word, bytes));
    return;
  }
  const u32 number = (write_word & kSplitBit) != 0 ? time_in(write_word) : 0;
  ByteStates states = number != 0 ? load_split(number) : load_words(write_word, read_word);
  u32 others = number != 0 ? splits_[number].next : 0;
  clear_states(states, bytes);
  u32 kept = 0;
  u32 last = 0;
  for (u32 view = others; view != 0;) {
    const u32 next = splits_[view].next;
    ByteStates theirs = load_split(view);
    clear_states(theirs, bytes);
    if (theirs.is_empty()) {
      splits_.give_back(view);
    } else {
      store_split(view, theirs);
      splits_[view].next = 0;
      if (last == 0) {
        kept = view;
      } else {
        splits_[last].next = view;
      }
      last = view;
    }
    view = next;
  }
  others = kept;
  if (number != 0) {
    splits_[number].next = others;
    drop_atomics(splits_[number], base, bytes);
  }
  u64 new_write = 0;
  u64 new_read = 0;
  const ByteStates apart = states;
  const bool whole = !(number != 0 && splits_[number].has_atomics()) && fit(states, base, nullptr, new_write, new_read);
  give_back_vectors(apart, states);
  if (whole) {
    if (number != 0) splits_.give_back(number);
  } else if (number != 0) {
    store_split(number, states);
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

}  // namespace omen::rt::online
