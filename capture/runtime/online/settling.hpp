/// \file
/// What an access makes of a cell's words where everything earlier is settled for its thread: nothing is to be ordered,
/// nothing can race, and nobody else is asked.
#pragma once

#include "capture/runtime/online/kept_reads.hpp"
#include "capture/runtime/online/read_vectors.hpp"
#include "capture/runtime/online/thread_slots.hpp"

namespace omen::rt::online {

/// A word of the thread's own, or none.
OMEN_INLINE bool is_own(const OnlineThread& state, u64 word) {
  return word == 0 || (word >> kSlotShift) == state.slot;
}

/// Need these bytes of a word no look at the analysis?
OMEN_INLINE bool is_settled_for(const OnlineThread& state, u64 word, u64 bytes) {
  return (touched_in(word) & bytes) == 0 || state.is_settled(word) || ((word & bytes) == 0 && state.is_own_older(word));
}

/// Is a write of these bytes, which is not settled, known to a reader who has nothing to learn of it? It has to be kept
/// among the reads then: its sections may order those who write next. In WCP it may be the reader's own.
OMEN_INLINE bool is_ordered_for_read(const OnlineThread& state, u64 written, u64 bytes) {
  if ((written & (kLockBit | kSplitBit)) != 0) return false;
  return slot_in(written) == state.slot || ((written & bytes) == bytes && state.is_ordered(written));
}

/// The word after its wanted bytes have become the thread's own, of now; the others are settled.
OMEN_INLINE u64 with_taken(const OnlineThread& state, u64 word, u64 wanted) {
  if (wanted == kBytes) return state.now;
  const u64 now = without_bytes(state.now);
  if (without_bytes(word) == now) return (word & ~(wanted << kOlderShift)) | wanted;
  return now | wanted | ((touched_in(word) & ~wanted) << kOlderShift);
}

/// The same, if the others are settled. False: what the word says of them would be lost.
OMEN_INLINE bool take_bytes(const OnlineThread& state, u64& word, u64 wanted) {
  if (without_bytes(word) != without_bytes(state.now) && !is_settled_for(state, word, touched_in(word) & ~wanted)) {
    return false;
  }
  word = with_taken(state, word, wanted);
  return true;
}

/// The read word of a split cell with plain accesses only: not the cell's state, but what the thread that was here last
/// has accessed in its epoch. It knows its own repetitions by it, without a look aside.
OMEN_INLINE u64 last_of_split(const OnlineThread& state, u64 earlier, u64 wanted) {
  const u64 now = without_bytes(state.now);
  return (without_bytes(earlier) == now ? earlier : now) | wanted;
}

/// The thread has read these bytes of a split cell in its epoch, and says so in the cell, without its lock: unless
/// another thread's hint is there. Readers do not fight over a cell.
inline void hint_at_repetition(const OnlineThread& state, Cell& cell, u64 wanted) {
  u64 hint = cell.read.load(std::memory_order_relaxed);
  if (!is_own(state, hint)) return;
  cell.read.compare_exchange_strong(hint, last_of_split(state, hint, wanted), std::memory_order_relaxed);
}

/// The owned and exclusive cases, where everything earlier is settled: the words of the cell after the access. False:
/// it needs more than a look at them.
OMEN_INLINE bool settle(const OnlineThread& state, u64& write_word, u64& read_word, u64 wanted, bool write) {
  if (!is_settled_for(state, read_word, wanted) ||
      !is_settled_for(state, write_word, wanted & ~touched_in(read_word))) {
    return false;
  }
  if (!write) return take_bytes(state, read_word, wanted);
  if (!take_bytes(state, write_word, wanted)) return false;
  read_word = drop_bytes(read_word, wanted);
  return true;
}

/// A read into the thread's slot of a vector; its earlier reads of these bytes are seen to. False: there is no room.
OMEN_INLINE bool add_last_read(const OnlineThread& state, ReadSlot& mine, u64 wanted) {
  const u32 last = mine.last_time();
  return mine.add(time_in(state.now), wanted, state.is_own_time_settled(last) ? last : state.own_settled());
}
/// The same. False: its earlier reads are not settled, or there is no room.
OMEN_INLINE bool add_shared_read(const OnlineThread& state, ReadSlot& mine, u64 wanted) {
  const u32 earlier = mine.time_of_any(wanted);
  if (earlier != 0 && !state.is_own_time_settled(earlier) && mine.bound_of(wanted) == 0) return false;
  return add_last_read(state, mine, wanted);
}

/// The word of the thread's plane after a read; it has earlier ones, if any, which are settled.
OMEN_INLINE u64 plane_word_of_now(const OnlineThread& state, u64 earlier, u64 wanted) {
  return (u64{time_in(state.now)} << kTimeShift) | wanted | ((touched_in(earlier) & ~wanted) << kOlderShift) |
         (earlier & ReadPlanes::kFlags);
}
/// The same. 0: its earlier reads are not settled.
OMEN_INLINE u64 plane_word_after(const OnlineThread& state, u64 earlier, u64 wanted) {
  if (time_in(earlier) == time_in(state.now)) return (earlier & ~(wanted << kOlderShift)) | wanted;
  if (earlier != 0 && (earlier & ReadPlanes::kSpan) == 0 && !state.is_own_time_settled(time_in(earlier))) return 0;
  return plane_word_of_now(state, earlier, wanted);
}
/// The word after what the thread has kept, and `earlier`, have become a span.
inline u64 plane_word_of_span(const OnlineThread& state, uptr base, u64 earlier, bool wrote, u64 wanted) {
  if ((earlier & ReadPlanes::kKept) != 0) {
    kept_reads.for_each(state.slot, base, kBytes, [&](const Kept& kept) { wrote |= kept.wrote; });
  }
  return (plane_word_of_now(state, earlier, wanted) & ~ReadPlanes::kKept) | ReadPlanes::kSpan |
         (wrote ? ReadPlanes::kSpanWrote : 0);
}
/// The same where the earlier access is not settled: it is kept. It may be the last write, which stands among the
/// reads. 0: some of its bytes were written then and others read.
inline u64 plane_word_keeping(const OnlineThread& state, uptr base, u64 write_word, u64 earlier, u64 wanted) {
  if (!state.own_epochs.exists()) return 0;
  const bool wrote = slot_in(write_word) == state.slot && time_in(write_word) == time_in(earlier);
  if (wrote && (earlier & kBytes & ~write_word) != 0) return 0;
  if (!kept_reads.add(state, base, earlier, wrote, wanted, /*writes=*/false)) {
    return plane_word_of_span(state, base, earlier, wrote, wanted);
  }
  return plane_word_of_now(state, earlier, wanted) | ReadPlanes::kKept;
}
/// The word of the thread's plane after a write, where its own earlier accesses, those in its plane and the cell's last
/// write if that is its own, need not be settled: what is not is kept. 0: nothing is to be said.
inline u64 plane_word_after_write(const OnlineThread& state, uptr base, u64 write_word, u64 earlier, u64 wanted) {
  const bool wrote = write_word != 0 && slot_in(write_word) == state.slot && !state.is_settled(write_word);
  const u64 written = wrote ? (u64{time_in(write_word)} << kTimeShift) | touched_in(write_word) : 0;
  if (!wrote && (touched_in(earlier) & wanted) == 0) return earlier;
  const u64 all = earlier | (touched_in(written) << kOlderShift);  // the word has the bytes of what is kept
  if ((earlier & ReadPlanes::kSpan) != 0) {
    return plane_word_of_now(state, all, wanted) | (wrote ? ReadPlanes::kSpanWrote : 0);
  }
  u64 kept = earlier & ReadPlanes::kKept;
  if (kept != 0 && !kept_reads.drop(state.slot, base, wanted, [&](const Kept& one) { return one.is_settled(state); })) {
    kept = 0;
  }
  bool fits = true;
  const auto keep = [&](u64 word, u64 bytes, bool was_write) {
    if (bytes == 0) return;
    const u64 times = word & (u64{~u32{0}} << kTimeShift);
    fits = fits && kept_reads.add(state, base, times | bytes | kept, was_write, wanted, /*writes=*/true);
    kept = ReadPlanes::kKept;
  };
  const bool is_same = time_in(earlier) == time_in(written);
  if (touched_in(earlier) != 0 && !state.is_own_time_settled(time_in(earlier))) {
    keep(earlier, touched_in(earlier) & ~(is_same ? touched_in(written) : 0), false);
  }
  keep(written, touched_in(written), true);
  if (!fits) return plane_word_of_span(state, base, all | kept, wrote, wanted);
  if (kept == 0) return drop_bytes(earlier & ~ReadPlanes::kFlags, wanted);
  return (plane_word_of_now(state, all, wanted) & ~ReadPlanes::kFlags) | kept;
}

}  // namespace omen::rt::online
