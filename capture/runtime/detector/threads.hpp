/// \file
/// The threads that the detector follows: their slots in clocks, and what it knows of each.
///
/// `ThreadSlot` stays when its thread has ended: others may still ask what the thread did. A slot is used again by a
/// thread that begins after the slot's last one was joined: its local time goes on, so clocks are as long as the number
/// of threads that run at once. `DetectorThread` is what only the running thread itself needs.
///
/// Ownership: a slot's clocks and sections belong to its thread. It changes them under `clock_lock`, which nobody else
/// wants but in rare cases: a join of a thread that still runs, a failed attempt to take a lock that it holds, a lock
/// that turns out to be no lock. Whoever holds one clock lock takes no other lock.
#pragma once

#include "analysis/levels/lock_set.hpp"
#include "analysis/rules.hpp"
#include "capture/runtime/detector/access_log.hpp"
#include "capture/runtime/detector/detail.hpp"
#include "capture/runtime/detector/sections.hpp"

namespace omen::rt::detect {

/// What the access at hand is; for the log and for reports.
struct CurrentAccess {
  uptr address = 0;
  u64 bytes = 0;
  LogKind what = LogKind::Nothing;
  uptr pc = 0;
  bool logged = false;
  Place where{};  ///< set when it is logged
};

/// A lock that the thread holds, and where it took it; for reports.
struct HeldLock {
  uptr address;
  Place where;
  bool shared;
};

/// An access of the thread that races with an earlier one; reported when the line is unlocked.
struct RacingAccess {
  Word earlier;
  uptr line;
  ByteSet bytes;
};

/// What is counted, of one thread or of several.
struct Counts {
  u64 accesses = 0;
  u64 synchronisations = 0;
  u64 analysed = 0;  ///< accesses that were not decided by epochs alone
  RuleCounters rules;
};

/// What only the thread itself touches. What every first access of an epoch needs is in the first line.
struct alignas(64) DetectorThread {
  Word now;             ///< its epoch, as the words of a line have it
  u64 own_first = 0;    ///< the first word of the slot that is fully ordered …
  u64 own_settled = 0;  ///< … and how many follow that are
  AccessLog* log = nullptr;
  Slot slot = 0;
  u32 id = 0;  ///< in reports
  /// Accesses of each slot up to these times are fully ordered before now (section_order.hpp).
  const Time* settled = nullptr;
  Slot settled_count = 0;
  /// Where the thread need not know its own sections (WCP): its sections by local time, …
  const Sections* own_sections = nullptr;
  Sections::Sole covered[2] = {};  ///< … and the outermost and innermost one that it is in now

  // The clocks of the thread (order.hpp). They do not move.
  const VectorClock* clock = nullptr;     ///< by which races are judged
  const VectorClock* known = nullptr;     ///< by which sections are known
  const VectorClock* happened = nullptr;  ///< happens-before

  /// What it has looked up of the sections of others, by slot (section_order.hpp).
  struct Horizon {
    Time reached = 0;  ///< as the clock was
    LockSet locks;     ///< of sections that are known to have begun, and not known to have ended
    SectionNumber list = kNoSection;
  };
  Vector<Time> settled_row;
  Vector<Time> seen;  ///< what was known when the others were made
  Vector<Horizon> horizons;
  LockSet sections;  ///< the locks that the thread is in a section on

  CurrentAccess current;
  History history;  ///< of the access at hand
  VectorClock other_clock;
  Vector<RacingAccess> races;
  Counts counts;            ///< but for the accesses, which the log counts
  u64 accesses_before = 0;  ///< in the log, when the thread began
  u64 searched = 0;         ///< records that were looked at for the epochs behind bounds
  Time own_middle = 0;      ///< when the thread was last ordered after its own old sections (section_order.cpp)
  bool has_fenced = false;  ///< there was a fence, which releases to atomics that the thread stores to
  u32 looks = 0;            ///< what the thread did after which the process may have grown
  /// The objects that the thread has used lately, by address.
  struct KnownObject {
    uptr address;
    u32 number;
  };
  static constexpr u32 kKnownObjects = 256;
  KnownObject known_objects[kKnownObjects] = {};
  KnownObject& known_object(uptr address) { return known_objects[((address >> 3) ^ (address >> 11)) % kKnownObjects]; }
  static constexpr u32 kMostHeld = 64;
  HeldLock held[kMostHeld] = {};
  u32 held_count = 0;

  u64 accesses() const { return log->accesses() - accesses_before; }
  OMEN_INLINE void add_to(Counts& sum) const {
    sum.accesses += accesses();
    sum.synchronisations += counts.synchronisations;
    sum.analysed += counts.analysed;
    sum.rules.add(counts.rules);
  }
  /// Is the access fully ordered before now? False: perhaps.
  OMEN_INLINE bool is_settled(Word word) const {
    return word.slot() < settled_count && word.time() <= settled[word.slot()];
  }
  /// The same of the bytes of a line word.
  OMEN_INLINE bool is_own(Word word) const { return word.bits() >> Word::kSlotShift == slot; }
  /// Is it settled, or the thread's own and superseded by the thread's next access? The latter is what
  /// `SectionOrder::must_keep_own` denies; here as far as one look tells. False: perhaps.
  OMEN_INLINE bool gives_way(Word word) const { return is_settled(word) || is_own_and_covered(word); }
  OMEN_INLINE bool is_own_and_covered(Word word) const {
    if (OMEN_LIKELY(own_sections == nullptr) || !is_own(word)) return false;
    const Sections::Sole sole = own_sections->sole_at(word.time());
    return sole == Sections::kFree || (sole != Sections::kSeveral && (sole == covered[0] || sole == covered[1]));
  }
  /// A word that is nobody's, or the thread's own and gives way, and no reader set.
  OMEN_INLINE bool is_own_or_none(Word word) const {
    return word.bits() - own_first <= own_settled || word.is_none() || is_own_and_covered(word);
  }
  /// After `settled` has changed.
  void set_own_words() {
    const Time own = slot < settled_count ? settled[slot] : 0;
    own_first = Word::of(slot, 0).bits();
    own_settled = own;
  }
};

struct alignas(64) ThreadSlot {
  SpinLock clock_lock;  ///< see above
  /// Sections that the thread is to leave with its next step, since their locks turned out to be none; guarded by
  /// `clock_lock`, but for whether there are any.
  struct Leaving {
    LockId lock{};
    SectionMode mode{};
  };
  Vector<Leaving> leaving;
  std::atomic<bool> must_leave{false};
  std::atomic<DetectorThread*> running{nullptr};
  Sections sections;
  AccessLog log;
  // Guarded by the lock of `Threads`.
  bool used = false;
  bool ended = false;
  Time last_time = 0;  ///< of a thread that has ended
  /// The thread's latest epochs: when each began among those of all threads, and where in the log; by local time.
  /// Written by the thread, the time last.
  struct Stamp {
    std::atomic<u64> time;
    std::atomic<u64> began;  ///< the processor's clock, which takes no cache line from other threads as a counter does
    std::atomic<u64> record;
  };
  static constexpr u32 kStamps = 1024;
  Stamp stamps[kStamps];
  /// Who used the slot, and from which local time on; the latest of them.
  struct User {
    u32 id;
    Time from;
  };
  static constexpr u32 kUsers = 16;
  User users[kUsers] = {};
  u32 user_count = 0;

  static constexpr u64 kUnknown = ~u64{0};
  /// No record of the thread before this one is of a later epoch than that; `kUnknown` if that is no longer known.
  u64 records_after(Time time) const {
    const Stamp* const next = stamp_of(time + 1);
    const u64 record = next == nullptr ? 0 : next->record.load(std::memory_order_relaxed);
    return next != nullptr && stamp_of(time + 1) != nullptr ? record : kUnknown;
  }
  /// No record of the thread from here on is of that epoch, or of an earlier one.
  u64 records_until(Time time) const {
    const u64 record = records_after(time);
    return record == kUnknown ? log.end() : record;
  }
  /// When it was. 0: it is long ago.
  u64 begin_of(Time time) const {
    const Stamp* const stamp = stamp_of(time);
    return stamp == nullptr ? 0 : stamp->began.load(std::memory_order_relaxed);
  }
  void stamp(Time time) {
    Stamp& stamp = stamps[time % kStamps];
    if (stamp.time.load(std::memory_order_relaxed) == time) return;
    stamp.time.store(0, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    stamp.began.store(__builtin_ia32_rdtsc(), std::memory_order_relaxed);
    stamp.record.store(log.end(), std::memory_order_relaxed);
    stamp.time.store(time, std::memory_order_release);
  }

  void add_user(u32 id, Time from) { users[user_count++ % kUsers] = {id, from}; }
  u32 user_at(Time time) const {
    for (u32 n = 0; n < kUsers && n < user_count; ++n) {
      const User& user = users[(user_count - 1 - n) % kUsers];
      if (user.from <= time) return user.id;
    }
    return users[user_count % kUsers].id;
  }

 private:
  /// Null: it has been overwritten, or the epoch has not begun.
  const Stamp* stamp_of(Time time) const {
    const Stamp& stamp = stamps[time % kStamps];
    return stamp.time.load(std::memory_order_acquire) == time ? &stamp : nullptr;
  }
};

}  // namespace omen::rt::detect
