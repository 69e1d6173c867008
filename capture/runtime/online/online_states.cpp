/// \file
/// Cells that the analysis looks at: their bytes' states, taken out and put back, wherever they are.
#include "capture/runtime/online/online.hpp"
#include "capture/runtime/recorder.hpp"

namespace omen::rt::online {

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

}  // namespace omen::rt::online
