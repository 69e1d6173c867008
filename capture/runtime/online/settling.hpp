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
  return (written & bytes) == bytes && (written & (kLockBit | kSplitBit)) == 0 &&
         (slot_in(written) == state.slot || state.is_ordered(written));
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

/// A read into the thread's slot of a vector. False: its earlier reads are not settled, or there is no room.
OMEN_INLINE bool add_shared_read(const OnlineThread& state, ReadSlot& mine, u64 wanted) {
  const u32 earlier = mine.time_of_any(wanted);
  if (earlier != 0 && !state.is_own_time_settled(earlier) && mine.bound_of(wanted) == 0) return false;
  const u32 last = mine.last_time();
  return mine.add(time_in(state.now), wanted, state.is_own_time_settled(last) ? last : state.own_settled());
}

/// The word of the thread's plane after a read; it has earlier ones, if any, which are settled.
OMEN_INLINE u64 plane_word_of_now(const OnlineThread& state, u64 earlier, u64 wanted) {
  return (u64{time_in(state.now)} << kTimeShift) | wanted | ((touched_in(earlier) & ~wanted) << kOlderShift) |
         (earlier & ReadPlanes::kKept);
}
/// The same. 0: its earlier reads are not settled.
OMEN_INLINE u64 plane_word_after(const OnlineThread& state, u64 earlier, u64 wanted) {
  if (time_in(earlier) == time_in(state.now)) return (earlier & ~(wanted << kOlderShift)) | wanted;
  if (earlier != 0 && !state.is_own_time_settled(time_in(earlier))) return 0;
  return plane_word_of_now(state, earlier, wanted);
}
/// The same where the earlier access is not settled: it is kept. It may be the last write, which stands among the
/// reads. 0: there is no room; or not all of its bytes were accessed in its epoch, and of the others nothing is known
/// but a bound; or some were written then and others read.
inline u64 plane_word_keeping(const OnlineThread& state, uptr base, u64 write_word, u64 earlier, u64 wanted) {
  if (!state.own_epochs.exists() || older_in(earlier) != 0) return 0;
  const bool wrote = slot_in(write_word) == state.slot && time_in(write_word) == time_in(earlier);
  if (wrote && (earlier & kBytes & ~write_word) != 0) return 0;
  if (!kept_reads.add(state, base, earlier, wrote, wanted)) return 0;
  return plane_word_of_now(state, earlier, wanted) | ReadPlanes::kKept;
}

}  // namespace omen::rt::online
