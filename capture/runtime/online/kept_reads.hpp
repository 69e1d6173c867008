/// \file
/// Accesses to memory that their threads have made again since, without the locks that they held then. In WCP the later
/// access does not take the place of such a one: a thread may not know its own sections, and who accesses the memory
/// next, in a section on such a lock, takes order from them (own_epochs.hpp).
///
/// They are in planes, one for each thread, with room for a few in each cell: one for each lock, since a thread's later
/// section on it tells all that its earlier ones would. Most cells need one or two, so the others are apart, in planes
/// that take memory where they are needed. They count if the thread's word in its read plane says so
/// (`ReadPlanes::kKept`), which has their bytes too; or, where the reads of the cell are in a vector, its residue
/// (residue.hpp).
///
/// Who looks at them? A later write is in the thread's plane too, as its last access: so the word of the plane is no
/// earlier than what is kept. Who has settled that word knows all sections that its thread was in up to then. Who has
/// it only ordered holds none of the locks of those that it does not know, and leaves it where it is, or sets it aside
/// with what is kept. Anybody else comes to the analysis' part, where all of it is looked at. That is for writers.
/// Readers ask for writes only, and find the last one in the cell's write word. The thread's earlier writes, if that
/// one is its own, are kept; and the same three cases hold of the write word. If it is another thread's, that one has
/// settled what the first had written, or set it aside. If it is a bound, and not settled, that again is the analysis'
/// part.
///
/// Room is limited. When there is none, all that the thread has kept of a cell becomes a *span*, which the word of the
/// plane says, and nothing else (`ReadPlanes::kSpan`): the word's epoch stands for all accesses up to it, in whatever
/// sections (residue.hpp). From then on the thread's own accesses need not be asked for their locks. Where the reads go
/// into a vector, the span is kept here, as an access for the sake of any lock.
///
/// Discipline: as for read planes. A thread writes what it keeps before the word that says that it counts. Nothing is
/// moved: who has the cell's lock may be looking for it.
#pragma once

#include "capture/runtime/online/read_planes.hpp"
#include "capture/runtime/online/thread_slots.hpp"

namespace omen::rt::online {

/// An access that is kept for the sake of one of the locks that its thread held: a word of a cell, with the bytes.
struct Kept {
  u64 word;
  u64 lock;  ///< as `EpochLocks` has it
  bool wrote;

  static constexpr u64 kAnyLock = 0;
  bool is_span() const { return lock == kAnyLock; }
  /// Need the thread, if it accesses the bytes in the same way now, not keep it any longer?
  bool is_settled(const OnlineThread& state) const {
    if (is_span()) return state.is_all_settled(word);
    return state.is_settled(word) || (slot_in(word) == state.slot && state.own_epochs.locks().has(lock));
  }
};

class KeptReads {
 public:
  void forget(uptr begin, uptr end) {
    first_.forget(begin, end);
    others_.forget(begin, end);
  }
  void forget_all() {
    first_.forget_all();
    others_.forget_all();
  }
  u64 bytes() const { return first_.bytes() + others_.bytes(); }

  /// The thread, which accesses these bytes now, has accessed others before, or the same, in an epoch that is not
  /// settled: a word of its read plane, which may be a write too. Keeps that one, in place of earlier ones in sections
  /// on the same locks. Of older bytes the epoch is a bound: what it does not tell of them is superseded or kept.
  /// False: there is no room.
  bool add(const OnlineThread& state, uptr base, u64 earlier, bool wrote, u64 wanted, bool writes) {
    const EpochLocks locks = state.own_epochs.locks_at(time_in(earlier));
    if (!locks.are_known() || first_.at(state.slot, base) == nullptr) return false;
    if ((earlier & ReadPlanes::kKept) == 0) {  // what there was does not count, so nobody looks at it
      forget(state.slot, base);
    }
    bool fits = true;
    locks.for_each([&](u64 lock) {
      const bool again = (writes || !wrote) && state.own_epochs.locks().has(lock);
      const u64 bytes = touched_in(earlier) & (again ? ~wanted : kBytes);
      if (bytes == 0) return;
      const u64 key = lock * 2 + (wrote ? 1 : 0);
      const u64 added = (key << kKeyShift) | (earlier & kTimes) | bytes;
      if (key >> (64 - kKeyShift) != 0) fits = false;
      if (!fits || put(state.slot, base, added)) return;
      make_room(state, base, wanted, writes);
      fits = put(state.slot, base, added);
    });
    return fits;
  }
  /// All of the thread's in one: a span up to this epoch, of these bytes.
  void keep_span(u32 slot, uptr base, Time time, bool wrote, u64 bytes) {
    if (first_.at(slot, base) == nullptr) return;
    forget(slot, base);
    first_.find(slot, base)
        ->store((((Kept::kAnyLock * 2) | (wrote ? 1 : 0)) << kKeyShift) | (u64{time} << kTimeShift) | bytes,
                std::memory_order_relaxed);
  }
  /// The thread's do not count any more.
  void forget(u32 slot, uptr base) {
    for_each_place(slot, base, [](Word& place) {
      if (place.load(std::memory_order_relaxed) != 0) place.store(0, std::memory_order_relaxed);  // or it has no page
    });
  }
  /// Calls `visit(kept)` for those of the thread's that touch these bytes.
  template <class Visit>
  void for_each(u32 slot, uptr base, u64 bytes, Visit visit) const {
    for_each_place(slot, base, [&](const Word& place) {
      const u64 bits = place.load(std::memory_order_relaxed);
      if ((bits & bytes) != 0) visit(kept_in(slot, bits));
    });
  }
  /// Takes bytes out of those for which `which(kept)` says so. Are there any left?
  template <class Which>
  bool drop(u32 slot, uptr base, u64 bytes, Which which) {
    bool any = false;
    for_each_place(slot, base, [&](Word& place) {
      u64 bits = place.load(std::memory_order_relaxed);
      if ((bits & bytes) != 0 && which(kept_in(slot, bits))) place.store(bits &= ~bytes, std::memory_order_relaxed);
      any |= (bits & kBytes) != 0;
    });
    return any;
  }
  bool drop(u32 slot, uptr base, u64 bytes) {
    return drop(slot, base, bytes, [](const Kept&) { return true; });
  }

 private:
  static constexpr u32 kFirst = 2;
  static constexpr u32 kOthers = 6;
  using Word = std::atomic<u64>;
  // A word: the lock and whether it wrote (24 bits), local time (32), bytes (8).
  static constexpr u32 kKeyShift = 40;
  static constexpr u64 kTimes = u64{~u32{0}} << kTimeShift;

  static Kept kept_in(u32 slot, u64 bits) {
    return {(u64{slot} << kSlotShift) | (bits & (kTimes | kBytes)), bits >> (kKeyShift + 1),
            (bits >> kKeyShift & 1) != 0};
  }

  /// The first ones are there if any are.
  template <class Visit>
  void for_each_place(u32 slot, uptr base, Visit visit) const {
    Word* const first = first_.find(slot, base);
    if (first == nullptr) return;
    for (u32 i = 0; i < kFirst; ++i) visit(first[i]);
    Word* const others = others_.find(slot, base);
    for (u32 i = 0; others != nullptr && i < kOthers; ++i) visit(others[i]);
  }

  /// False: there is no room, or what is in its place has other bytes too.
  bool put(u32 slot, uptr base, u64 added) {
    Word* free = nullptr;
    Word* same = nullptr;
    const auto look_at = [&](Word& place) {
      const u64 bits = place.load(std::memory_order_relaxed);
      if ((bits & kBytes) == 0) {
        if (free == nullptr) free = &place;
      } else if (bits >> kKeyShift == added >> kKeyShift) {
        same = &place;
      }
    };
    for_each_place(slot, base, look_at);
    if (same == nullptr && free == nullptr && others_.find(slot, base) == nullptr) free = others_.at(slot, base);
    Word* const place = same != nullptr ? same : free;
    if (place == nullptr || (place->load(std::memory_order_relaxed) & ~added & kBytes) != 0) return false;
    place->store(added, std::memory_order_relaxed);
    return true;
  }

  /// The thread accesses these bytes. What it knows, or has in a section on the same lock now, those know who are
  /// ordered after the access. After a read these are writers.
  void make_room(const OnlineThread& state, uptr base, u64 wanted, bool writes) {
    drop(state.slot, base, wanted, [&](const Kept& kept) { return (writes || !kept.wrote) && kept.is_settled(state); });
  }

  CellPlanes<kFirst> first_;
  CellPlanes<kOthers> others_;
};

extern KeptReads kept_reads;

}  // namespace omen::rt::online
