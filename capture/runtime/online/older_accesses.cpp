/// \file
/// Bounds that are not settled for who asks (cell.hpp): the epochs behind them are looked for in the threads' logs.
///
/// The latest record of the bound's thread that touches the byte is either the access itself, or says which word of
/// another thread gave way to the bound. If it has been overwritten nobody can tell whether the two accesses race. Then
/// they are taken for ordered: the thread learns what the bound's thread knows, which includes all that an order
/// between the two accesses could have brought. Races may be missed thereby; none is made up.
///
/// A cell for which this was needed is split from then on, until all its bytes are alike: what they hold is used apart.
/// So searches for one cell are few; and what all searches take is limited by what the program does otherwise.
#include "capture/runtime/online/online.hpp"

namespace omen::rt::online {
namespace {

/// A write may stand among the reads, as its thread's last access; so may the taking of a lock.
bool is_plain(Did what, bool write) {
  return what == Did::Write || what == Did::VptrWrite || what == Did::Free ||
         (!write && (what == Did::Read || what == Did::AtomicRead));
}

/// Records that a thread may look at in its searches: some to begin with, and a few for each access.
constexpr u64 kFirstSearches = u64{1} << 25;
constexpr u64 kSearchesPerAccess = 16;

}  // namespace

/// The access behind a bound, as the word of a byte; or a lower bound, which is settled for who asks: all records of
/// the thread that are not settled say nothing of the byte. 0: the log does not go back so far.
u64 Online::find_older(OnlineThread& state, u64 word, uptr address, bool write) const {
  const uptr base = address & ~(kCellBytes - 1);
  const uptr line = address & ~(kLineSize - 1);
  const Did replaced = write ? Did::ReplacedWrite : Did::ReplacedRead;
  const Did replaced_line = write ? Did::ReplacedLineWrite : Did::ReplacedLineRead;
  while ((word & kBound) != 0) {
    if (state.searched > kFirstSearches + kSearchesPerAccess * state.accesses()) return 0;
    const ThreadSlot& slot = slots_[slot_in(word)];
    const Time settled = slot_in(word) < state.settled_count ? state.settled[slot_in(word)] : 0;
    if (time_in(word) <= settled) return word;
    const u64 settled_records = slot.records_after(settled);
    const u64 from = settled_records == ThreadSlot::kUnknown ? 0 : settled_records;
    const auto may_touch = [&](uptr begin) {
      ++state.searched;
      return address - begin <= AccessLog::kLongest;
    };
    const auto touches = [&](const AccessLog::Entry& entry, u64) {
      if (entry.what() == replaced) {
        if (entry.address() != base || (entry.replaced_bytes() >> (address - base) & 1) == 0) return false;
        word = entry.rest;
        return true;
      }
      if (entry.what() == replaced_line) {
        if (entry.address() != line || (entry.replaced_line_bytes() >> (address - line) & 1) == 0) return false;
        word = entry.rest;
        return true;
      }
      if (!is_plain(entry.what(), write) || !entry.covers(address) || entry.time() > time_in(word)) return false;
      word = word_of({entry.time(), ThreadId{slot_in(word)}}, 0);
      return true;
    };
    if (slot.log.any_before(slot.records_until(time_in(word)), from, may_touch, touches)) continue;
    if (settled == 0 || settled_records == ThreadSlot::kUnknown || !slot.log.has_all_from(from)) return 0;
    return word_of({settled, ThreadId{slot_in(word)}}, 0) | (write ? kBound : kReadBound);
  }
  return word;
}

void Online::assume_ordered(OnlineThread& state, u32 slot) {
  const AnalysisGuard guard(analysis_lock);
  ++older_lost_;
  learn_unpublished(state, slot);
  engine_->publish(state);
}

bool Online::resolve(OnlineThread& state, ByteStates& states, uptr base, u64 wanted, bool write) {
  bool any = false;
  const auto resolved = [&](u64 word, uptr address, bool wrote) -> u64 {
    const u64 found = find_older(state, word, address, wrote);
    if ((found & kBound) != 0) return found;
    any = true;
    if (found == 0) {
      assume_ordered(state, slot_in(word));
    } else {
      __atomic_fetch_add(&older_found_, 1, __ATOMIC_RELAXED);
    }
    return found;
  };
  for (u64 left = wanted; left != 0; left &= left - 1) {
    const u32 b = static_cast<u32>(__builtin_ctzll(left));
    u64& wrote = states.write[b];
    u64& last = states.read[b];
    // Who has settled the last access has settled the last write: the one was ordered after the other.
    if ((last & kVectorBit) == 0 && state.needs_no_look(last)) continue;
    if ((wrote & kBound) != 0 && !state.needs_no_look(wrote)) {
      const bool unread = last == wrote;
      wrote = resolved(wrote, base + b, true);
      if (unread) last = wrote;
    }
    // Reads are not ordered among each other: what a reader needs to know is the last write.
    if (write && (last & (kBound | kVectorBit)) == kBound && !state.needs_no_look(last)) {
      last = resolved(last, base + b, false);
      if (last == 0) last = wrote;
    }
  }
  if (write) any |= resolve_readers(state, states, base, wanted);
  return any;
}

bool Online::resolve_readers(OnlineThread& state, ByteStates& states, uptr base, u64 wanted) {
  const auto is_open = [&](u32 slot, const ReadSlot& reads, u64 byte) {
    const u32 bound = reads.bound_of(byte);
    return bound != 0 && slot != state.slot && !state.is_settled(word_of({bound, ThreadId{slot}}, 0));
  };
  bool any = false;
  for (u64 left = wanted; left != 0; left &= left - 1) {
    const u64 read = states.read[__builtin_ctzll(left)];
    if ((read & kVectorBit) == 0) continue;
    read_vectors.for_each(time_in(read),
                          [&](u32 slot, const ReadSlot& reads) { any |= is_open(slot, reads, left & -left); });
  }
  if (!any) return false;
  split_vectors(states);  // the bytes' epochs may differ
  for (u64 left = wanted; left != 0; left &= left - 1) {
    const u32 b = static_cast<u32>(__builtin_ctzll(left));
    if ((states.read[b] & kVectorBit) == 0) continue;
    const ReadVectors::Number vector = time_in(states.read[b]);
    const u64 byte = u64{1} << b;
    read_vectors.for_each(vector, [&](u32 slot, ReadSlot& reads) {
      if (!is_open(slot, reads, byte)) return;
      const u64 found = find_older(state, word_of({reads.bound_of(byte), ThreadId{slot}}, 0) | kBound, base + b, false);
      reads.remove(byte);
      if ((found & kBound) != 0) return;  // it is settled, and gives way to the write
      const u32 whose = found == 0 ? slot : slot_in(found);
      ReadSlot* const true_slot = found == 0 ? nullptr : read_vectors.find(vector, whose);
      if (true_slot == nullptr) return assume_ordered(state, whose);
      __atomic_fetch_add(&older_found_, 1, __ATOMIC_RELAXED);
      if (time_in(found) > true_slot->time_of_any(byte)) true_slot->set(time_in(found), byte);
    });
  }
  return true;
}

}  // namespace omen::rt::online
