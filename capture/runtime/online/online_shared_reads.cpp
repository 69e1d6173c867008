/// \file
/// Cells whose reads are in the threads' planes: reading and writing them without the analysis, as long as what there
/// is is settled; and the way between planes and vectors, which the analysis knows.
#include "capture/runtime/online/online.hpp"
#include "capture/runtime/online/settling.hpp"

namespace omen::rt::online {

constinit ReadPlanes read_planes;
constinit KeptReads kept_reads;
__thread u8 shared_sites[kSharedSites] __attribute__((tls_model("initial-exec"))) = {};

namespace {

/// What a word of a plane has of the word of a cell: not its thread, whose plane it is.
constexpr u64 kPlaneWord = kBytes | kOlder | (u64{~u32{0}} << kTimeShift);

/// Calls `visit(slot, word)` for the threads that a read word names.
template <class Visit>
void for_each_reader(u64 read_word, uptr base, Visit visit) {
  const u32 slots = slots_in_use() < ReadPlanes::kMost ? slots_in_use() : ReadPlanes::kMost;
  for (u32 slot = 0; slot < slots; ++slot) {
    if ((read_word & reader_bit(slot)) == 0) continue;
    if (ReadPlanes::Word* const word = read_planes.find(slot, base)) visit(slot, *word);
  }
}

/// Bytes of a word of a plane, and of the thread's kept reads, that are not read any more.
u64 without_reads(u32 slot, uptr base, u64 word, u64 bytes) {
  if ((word & ReadPlanes::kKept) != 0 && !kept_reads.drop(slot, base, bytes)) word &= ~ReadPlanes::kKept;
  return drop_bytes(word, bytes);
}

u32 latest_of(const ReadSlot& reads) {
  const u32 last = ReadSlot::time_of(reads.last.load(std::memory_order_relaxed));
  const u32 before = ReadSlot::time_of(reads.before.load(std::memory_order_relaxed));
  return last > before ? last : before;
}

/// What a word of the thread's plane says of what it has kept.
u64 flags_of_kept(u32 slot, uptr base) {
  u64 flags = ReadPlanes::kKept;
  kept_reads.for_each(slot, base, kBytes, [&](const Kept& kept) {
    if (kept.is_span()) flags = ReadPlanes::kSpan | (kept.wrote ? ReadPlanes::kSpanWrote : 0);
  });
  return flags;
}

}  // namespace

/// [Read Shared] and [Read Shared Owned] where the last write is settled, and the thread's own earlier reads are, or
/// can be kept.
bool Online::read_plane(OnlineThread& state, Cell& cell, uptr base, u64 write_word, u64 read_word, u64 wanted) {
  ReadPlanes::Word* const mine = read_planes.at(state.slot, base);
  if (mine == nullptr) return false;
  const bool named = (read_word & reader_bit(state.slot)) != 0;
  const u64 earlier = named ? mine->load(std::memory_order_relaxed) : 0;
  u64 next = plane_word_after(state, earlier, wanted);
  if (OMEN_UNLIKELY(next == 0)) next = plane_word_keeping(state, base, write_word, earlier, wanted);
  if (next == 0) return false;
  mine->store(next, std::memory_order_release);
  while ((read_word & reader_bit(state.slot)) == 0) {
    if (cell.read.compare_exchange_weak(read_word, read_word | reader_bit(state.slot), std::memory_order_acq_rel))
      break;
    if ((read_word & kPlanesBit) == 0) return false;
  }
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if ((cell.read.load(std::memory_order_relaxed) & kPlanesBit) == 0 ||
      cell.write.load(std::memory_order_relaxed) != write_word) {
    return false;
  }
  count(state, touched_in(earlier) != 0 ? Rule::ReadSharedOwned : Rule::ReadShared);
  return true;
}

/// [Read Share] where the last write is settled: the last reader's word becomes one of its plane. In WCP also
/// [Read Owned], if the thread's own last read is to be kept.
bool Online::share_in_planes(OnlineThread& state, Cell& cell, uptr base, u64 write_word, u64 wanted) {
  if (!cell.write.compare_exchange_strong(write_word, write_word | kLockBit, std::memory_order_acquire,
                                          std::memory_order_relaxed)) {
    return false;
  }
  const u64 read_word = cell.read.load(std::memory_order_relaxed);
  const u32 other = slot_in(read_word);
  ReadPlanes::Word* theirs = nullptr;
  ReadPlanes::Word* mine = nullptr;
  u64 next = 0;
  if (read_word != 0 && (read_word & (kVectorBit | kPlanesBit)) == 0) {
    theirs = read_planes.at(other, base);
    mine = read_planes.at(state.slot, base);
    if (theirs != nullptr && mine != nullptr) {
      next = other == state.slot ? plane_word_keeping(state, base, write_word, read_word & kPlaneWord, wanted)
                                 : plane_word_of_now(state, 0, wanted);
    }
  }
  if (next == 0) {
    unlock_cell(cell, write_word);
    return false;
  }
  theirs->store(read_word & kPlaneWord, std::memory_order_relaxed);
  mine->store(next, std::memory_order_relaxed);
  const u64 shared = kPlanesBit | reader_bit(other) | reader_bit(state.slot);
  count_names(base, write_word, read_word, write_word, shared);
  cell.read.store(shared, std::memory_order_relaxed);
  unlock_cell(cell, write_word);
  count(state, other == state.slot ? Rule::ReadOwned : Rule::ReadShare);
  return true;
}

/// [Read Share] and [Read Shared] where the last write, of these bytes, is ordered: known, but for sections of which
/// this thread has nothing to learn. It becomes a word of its thread's plane, where those who write next find its
/// sections; or, if it is this thread's own, it is kept.
bool Online::read_after_ordered(OnlineThread& state, Cell& cell, uptr base, u64 write_word, u64 wanted) {
  if (!cell.write.compare_exchange_strong(write_word, write_word | kLockBit, std::memory_order_acquire,
                                          std::memory_order_relaxed)) {
    return false;
  }
  const u64 read_word = cell.read.load(std::memory_order_relaxed);
  const u64 shared =
      (read_word & kVectorBit) == 0 ? share_after_ordered(state, base, write_word, read_word, wanted) : 0;
  if (shared != 0) {
    count_names(base, write_word, read_word, write_word, shared);
    if ((read_word & kPlanesBit) != 0) {
      cell.read.fetch_or(shared, std::memory_order_relaxed);  // readers add their bits without the lock
    } else {
      cell.read.store(shared, std::memory_order_relaxed);
    }
    const bool own = slot_in(read_word != 0 ? read_word : write_word) == state.slot;
    count(state, (read_word & kPlanesBit) != 0 ? Rule::ReadShared : own ? Rule::ReadOwned : Rule::ReadShare);
  }
  unlock_cell(cell, write_word);
  return shared != 0;
}

/// The read word that names the planes; the caller has the lock. 0: something does not fit, and nothing has changed.
u64 Online::share_after_ordered(const OnlineThread& state, uptr base, u64 write_word, u64 read_word, u64 wanted) {
  const u32 writer = slot_in(write_word);
  const bool in_planes = (read_word & kPlanesBit) != 0;
  const u32 reader = in_planes || read_word == 0 ? writer : slot_in(read_word);
  ReadPlanes::Word* const mine = read_planes.at(state.slot, base);
  ReadPlanes::Word* const writers = read_planes.at(writer, base);
  ReadPlanes::Word* const readers = read_planes.at(reader, base);
  if (mine == nullptr || writers == nullptr || readers == nullptr) return 0;
  const auto earlier = [&](u32 slot, const ReadPlanes::Word& word) -> u64 {
    if (!in_planes) return read_word != 0 && slot == reader ? read_word & kPlaneWord : 0;
    return (read_word & reader_bit(slot)) != 0 ? word.load(std::memory_order_relaxed) : 0;
  };
  // Who read these bytes since has seen to the write's sections. In planes only the writer's own word is asked.
  const u64 of_writer = earlier(writer, *writers);
  const u64 unread = wanted & ~touched_in(in_planes ? of_writer : read_word);
  if (unread != 0 && of_writer != 0 && time_in(of_writer) != time_in(write_word)) return 0;
  const bool keeps_write = unread != 0 && writer == state.slot;
  if (keeps_write && of_writer != 0) return 0;
  const u64 before = keeps_write ? (u64{time_in(write_word)} << kTimeShift) | unread : earlier(state.slot, *mine);
  u64 next = plane_word_after(state, before, wanted);
  if (next == 0) next = plane_word_keeping(state, base, write_word, before, wanted);
  if (next == 0) return 0;
  u64 shared = kPlanesBit | (in_planes ? read_word : 0) | reader_bit(state.slot);
  if (!in_planes && read_word != 0) {
    readers->store(read_word & kPlaneWord, std::memory_order_relaxed);
    shared |= reader_bit(reader);
  }
  if (unread != 0 && !keeps_write) {
    writers->store(
        (u64{time_in(write_word)} << kTimeShift) | (of_writer & (kBytes | kOlder | ReadPlanes::kFlags)) | unread,
        std::memory_order_relaxed);
    shared |= reader_bit(writer);
  }
  mine->store(next, std::memory_order_relaxed);
  return shared;
}

/// [Write Shared] where all readers, and the last write, are settled: sets the words, of which the caller has the lock.
/// The cell's reads stay in the planes, where the next readers do not meet, until it is written without having been
/// read. In WCP also [Write Owned]: what is the thread's own, and not settled, is kept.
bool Online::settle_planes(OnlineThread& state, uptr base, u64& write_word, u64& read_word, u64 wanted) {
  const bool keeps = state.own_epochs.exists() && state.slot < ReadPlanes::kMost;
  bool settled = true;
  for_each_reader(read_word, base, [&](u32 slot, ReadPlanes::Word& place) {
    if (keeps && slot == state.slot) return;
    const u64 reads = place.load(std::memory_order_relaxed);
    if ((touched_in(reads) & wanted) == 0) return;
    // Who has settled another thread's read has settled its earlier ones.
    const u64 word = word_of({time_in(reads), ThreadId{slot}}, 0);
    settled &= state.is_settled(word) || ((reads & wanted) == 0 && state.is_own_older(word));
  });
  u64 next_write = write_word;
  if (keeps && slot_in(write_word) == state.slot) {
    next_write = with_taken(state, write_word, wanted);
  } else {
    settled = settled && is_settled_for(state, write_word, wanted) && take_bytes(state, next_write, wanted);
  }
  if (!settled) return false;
  bool any = false;
  if (keeps) {
    const bool named = (read_word & reader_bit(state.slot)) != 0;
    const ReadPlanes::Word* const place = named ? read_planes.find(state.slot, base) : nullptr;
    const u64 earlier = place == nullptr ? 0 : place->load(std::memory_order_relaxed);
    const u64 next = plane_word_after_write(state, base, write_word, earlier, wanted);
    if ((earlier | next) != 0) {
      ReadPlanes::Word* const mine = read_planes.at(state.slot, base);
      if (mine == nullptr) return false;
      mine->store(next, std::memory_order_relaxed);
      read_word |= reader_bit(state.slot);
      any = true;
    }
  }
  for_each_reader(read_word, base, [&](u32 slot, ReadPlanes::Word& word) {
    const u64 reads = word.load(std::memory_order_relaxed);
    if (reads == 0 || (keeps && slot == state.slot)) return;
    word.store(without_reads(slot, base, reads, wanted), std::memory_order_relaxed);
    any = true;
  });
  if (!any) read_word = 0;
  write_word = next_write;
  return true;
}

/// In WCP: the same of a cell whose reads are in its word. Then they are in planes.
bool Online::write_keeping(OnlineThread& state, uptr base, u64& write_word, u64& read_word, u64 wanted) {
  if (!state.own_epochs.exists() || (read_word & (kVectorBit | kPlanesBit)) != 0) return false;
  u64 shared = kPlanesBit;
  if (read_word != 0) {
    ReadPlanes::Word* const theirs = read_planes.at(slot_in(read_word), base);
    if (theirs == nullptr) return false;
    theirs->store(read_word & kPlaneWord, std::memory_order_relaxed);
    shared |= reader_bit(slot_in(read_word));
  }
  if (!settle_planes(state, base, write_word, shared, wanted)) return false;
  read_word = shared;
  return true;
}

/// From planes into a vector, which the read word then names; whose kept reads count is left to the residue. The caller
/// holds the lock.
u64 Online::planes_to_vector(Cell& cell, uptr base, u64 read_word, Residue& residue) {
  const ReadVectors::Number vector = read_vectors.take(slots_in_use(), online::is_hazard);
  const u64 next = vector_word(vector, kBytes);
  cell.read.store(next, std::memory_order_seq_cst);  // from here on nobody adds to the planes
  for_each_reader(read_word, base, [&](u32 slot, ReadPlanes::Word& word) {
    const u64 reads = word.exchange(0, std::memory_order_relaxed);
    ReadSlot* const to = read_vectors.find(vector, slot);
    if (reads == 0 || to == nullptr) return;
    if ((reads & kBytes) != 0) to->set(time_in(reads), reads & kBytes);
    if (older_in(reads) != 0) to->add_bound(time_in(reads), older_in(reads));
    if ((reads & ReadPlanes::kSpan) != 0) {
      kept_reads.keep_span(slot, base, time_in(reads), (reads & ReadPlanes::kSpanWrote) != 0, touched_in(reads));
    }
    if ((reads & (ReadPlanes::kKept | ReadPlanes::kSpan)) != 0) residue.keep(slot, base);
  });
  return next;
}

/// From a vector into planes, with the kept reads of these threads: the read word. 0: the vector has what planes cannot
/// have, or lacks what they must.
u64 Online::vector_to_planes(ReadVectors::Number vector, uptr base, u64 keepers) {
  bool fits = true;
  u64 read_word = kPlanesBit;
  u64 others = keepers;
  read_vectors.for_each(vector, [&](u32 slot, const ReadSlot& reads) {
    const u64 before = reads.before.load(std::memory_order_relaxed);
    fits = fits && (before == 0 || (before & ReadSlot::kBoundBit) != 0) && read_planes.at(slot, base) != nullptr;
    if (!fits || (keepers & reader_bit(slot)) == 0) return;
    others &= ~reader_bit(slot);
    kept_reads.for_each(slot, base, kBytes, [&](const Kept& kept) {
      fits = fits && (kept.word & kBytes & ~reads.bytes()) == 0 &&
             (!kept.is_span() || time_in(kept.word) <= latest_of(reads));
    });
  });
  if (!fits || others != 0) return 0;
  read_vectors.for_each(vector, [&](u32 slot, const ReadSlot& reads) {
    const u64 last = reads.last.load(std::memory_order_relaxed);
    const u64 before = reads.before.load(std::memory_order_relaxed);
    const u32 time = latest_of(reads);
    // A bound above the last read's epoch would make that a bound too.
    const bool exact = time == ReadSlot::time_of(last);
    const u64 bytes = exact ? last & kBytes : 0;
    const u64 older = (exact ? before : before | last) & kBytes & ~bytes;
    const u64 flags = (keepers & reader_bit(slot)) != 0 ? flags_of_kept(slot, base) : 0;
    read_planes.find(slot, base)
        ->store((u64{time} << kTimeShift) | bytes | (older << kOlderShift) | flags, std::memory_order_relaxed);
    read_word |= reader_bit(slot);
  });
  return read_word;
}

/// Bytes whose memory ends its life; the caller holds the lock. The read word that is left.
u64 Online::clear_planes(uptr base, u64 read_word, u64 bytes) {
  bool any = false;
  for_each_reader(read_word, base, [&](u32 slot, ReadPlanes::Word& word) {
    const u64 rest = without_reads(slot, base, word.load(std::memory_order_relaxed), bytes);
    word.store(rest, std::memory_order_relaxed);
    any |= rest != 0;
  });
  return any ? read_word : 0;
}

}  // namespace omen::rt::online
