/// \file
/// The places of threads in clocks. A slot is used again by a thread that begins after the slot's last one was joined:
/// its clock goes on, so clocks stay as small as the number of threads that run at once.
#pragma once

#include "analysis/clocks/epoch.hpp"
#include "analysis/levels/lock_set.hpp"
#include "analysis/memory.hpp"
#include "analysis/rules.hpp"
#include "capture/runtime/online/access_log.hpp"
#include "capture/runtime/online/cell.hpp"
#include "capture/runtime/online/own_epochs.hpp"
#include "capture/runtime/platform.hpp"

namespace omen::rt::online {

inline constexpr u32 kMostSlots = 1U << kSlotBits;

/// What the access at hand is; for reports.
struct Doing {
  uptr address = 0;
  u64 bytes = 0;
  Did what = Did::Nothing;
  uptr pc = 0;
  bool noted = false;  ///< it is in the log
  Place where{};       ///< set when it is noted
};

/// A lock that the thread holds, and where it took it.
struct HeldLock {
  uptr address;
  Place where;
  bool shared;
};

/// What the detector knows of a running thread. Only the thread itself touches it, but for `hazard`. What every first
/// access of an epoch needs is in the first line.
struct alignas(64) OnlineThread {
  u64 now = 0;                ///< its epoch, as the word of a cell with all bytes
  u64 own_words = 0;          ///< the first word of the slot that is settled
  u64 own_settled_words = 0;  ///< how many follow that are
  AccessLog* log = nullptr;
  u32 slot = 0;
  u32 id = 0;  ///< in reports
  /// Accesses of each slot up to these times are known, with their sections: nothing is to be done about them.
  const Time* settled = nullptr;
  u32 settled_count = 0;
  Vector<Time> settled_copy;
  /// Accesses of each slot up to these times are known too, and none of their sections that may not be is on a lock
  /// that the thread holds: it has nothing to learn of them, but others may. At least as far as `settled`.
  const Time* ordered = nullptr;
  Vector<Time> ordered_copy;
  u64 published_changes = 0;  ///< of the analysis, when the copies were made
  LockSet locks_to_learn_of;  ///< who takes one of them, or releases it, has `ordered` made anew
  Doing doing;
  RuleCounters counters;
  u64 records_before = 0;  ///< in the log, when the thread began
  u64 other_records = 0;   ///< of its own, that are no accesses
  u64 searched = 0;        ///< records that were looked at for older accesses (older_accesses.cpp)
  u64 synchronisations = 0;
  bool has_fenced = false;  ///< there was a fence, which releases to atomics that the thread stores to
  u32 looks = 0;            ///< what the thread did after which the process may have grown
  /// The thread's views of some split cells, by the number of the plain one: chains of views may be long.
  struct KnownView {
    u32 first;
    u32 view;
  };
  static constexpr u32 kKnownViews = 1024;
  KnownView known_views[kKnownViews] = {};
  /// The numbers of objects that the thread has used lately, by address.
  struct KnownObject {
    uptr address;
    u32 number;
  };
  static constexpr u32 kKnownObjects = 256;
  KnownObject known_objects[kKnownObjects] = {};
  KnownObject& known_object(uptr address) { return known_objects[((address >> 3) ^ (address >> 11)) % kKnownObjects]; }
  LockSet sections;  ///< the locks of the sections that it is in
  static constexpr u32 kMostHeld = 64;
  HeldLock held[kMostHeld] = {};
  u32 held_count = 0;

  /// Those that changed a cell.
  u64 accesses() const { return log->end() - records_before - other_records; }
  ThreadId thread() const { return ThreadId{slot}; }
  Epoch epoch() const { return epoch_in(now); }
  OMEN_INLINE bool is_settled(u64 word) const {
    const u32 whose = slot_in(word);
    return (whose < settled_count && time_in(word) <= settled[whose]) ||
           (OMEN_UNLIKELY(own_epochs.exists()) && whose == slot && own_epochs.are_superseded(time_in(word)));
  }
  /// All that the word's thread did up to its epoch is known, with all sections.
  OMEN_INLINE bool is_all_settled(u64 word) const {
    return slot_in(word) < settled_count && time_in(word) <= settled[slot_in(word)];
  }
  /// The same; and neither lock nor kind is set in the word, which may be nobody's.
  OMEN_INLINE bool is_plain_and_settled(u64 word) const {
    const u64 whose = word >> kSlotShift;
    return whose < settled_count && time_in(word) <= settled[whose];
  }
  /// Of another thread's word.
  OMEN_INLINE bool is_ordered(u64 word) const {
    const u32 whose = slot_in(word);
    return whose != slot && whose < settled_count && time_in(word) <= ordered[whose];
  }
  /// Nothing is to be learned of it, and it does not race; others may have to know its sections.
  OMEN_INLINE bool is_harmless(u64 word) const {
    return word == 0 || slot_in(word) == slot || is_settled(word) || is_ordered(word);
  }
  OMEN_INLINE bool is_own_time_settled(Time time) const {
    return time <= own_settled() || (own_epochs.exists() && own_epochs.are_superseded(time));
  }
  /// Does one access tell all that an earlier one of its thread would, if both are of a kind? Where a thread may not
  /// know its own sections, only the thread itself can tell.
  bool tells_all_of(u64 later, u64 earlier) const {
    if (slot_in(later) != slot_in(earlier) || time_in(earlier) > time_in(later)) return false;
    return !own_epochs.exists() || (slot_in(later) == slot && own_epochs.supersedes(time_in(later), time_in(earlier)));
  }
  /// The thread's own older accesses are settled whatever the bound; where it may not know its own sections, with the
  /// bound.
  OMEN_INLINE bool is_own_older(u64 word) const { return slot_in(word) == slot && !own_epochs.exists(); }
  Time own_settled() const { return slot < settled_count ? settled[slot] : 0; }
  /// A word that is nobody's, or the thread's own and settled: neither lock nor kind is set in it.
  OMEN_INLINE bool is_own_and_settled(u64 word) const {
    return word == 0 || (word & ~kOlder) - own_words <= own_settled_words ||
           (OMEN_UNLIKELY(own_epochs.exists()) && word >> kSlotShift == slot &&
            own_epochs.are_surely_superseded(time_in(word)));
  }
  /// After `settled` has changed.
  void set_own_words() {
    const Time first = own_epochs.exists() ? own_epochs.since() : 0;
    const Time last = own_epochs.exists() ? time_in(now) : own_settled();
    own_words = (u64{slot} << kSlotShift) | (u64{first} << kTimeShift);
    own_settled_words = (u64{last - first} << kTimeShift) | kBytes;
  }
  OwnEpochs own_epochs;  ///< there are some if the thread may not know its own sections
  /// The state of one byte.
  bool needs_no_look(u64 word) const { return is_settled(word) || ((word & kBound) != 0 && is_own_older(word)); }
};

struct alignas(64) ThreadSlot {
  std::atomic<u32> hazard{0};  ///< the vector of reads that the thread is about to write to; written by the thread
  std::atomic<OnlineThread*> running{nullptr};  ///< the thread that has the slot, while it runs
  // The rest is guarded by the analysis lock.
  bool used = false;
  bool ended = false;
  Time last_time = 0;   ///< of a thread that has ended: its last one
  Time known_time = 0;  ///< up to this one, the thread that has the slot knows all that earlier ones did
  AccessLog log;        ///< see there
  /// Where the thread's latest epochs began among all, and where in its log; by local time. Written by the thread, the
  /// time last; read by whoever looks for what it did then.
  struct Stamp {
    std::atomic<u64> time;
    std::atomic<u64> began;  ///< when: the processor's clock, which takes no line from other threads as a counter does
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

  /// Null: it has been overwritten, or the epoch has not begun.
  const Stamp* stamp_of(Time time) const {
    const Stamp& stamp = stamps[time % kStamps];
    return stamp.time.load(std::memory_order_acquire) == time ? &stamp : nullptr;
  }
  /// No record of the thread from here on is of that epoch, or of an earlier one.
  u64 records_until(Time time) const {
    const Stamp* const next = stamp_of(time + 1);
    const u64 record = next == nullptr ? 0 : next->record.load(std::memory_order_relaxed);
    return next != nullptr && stamp_of(time + 1) != nullptr ? record : log.end();
  }

  /// No record of the thread before this one is of a later epoch than that; `kUnknown` if that is no longer known.
  static constexpr u64 kUnknown = ~u64{0};
  u64 records_after(Time time) const {
    const Stamp* const next = stamp_of(time + 1);
    const u64 record = next == nullptr ? 0 : next->record.load(std::memory_order_relaxed);
    return next != nullptr && stamp_of(time + 1) != nullptr ? record : kUnknown;
  }

  void add_user(u32 id, Time from) { users[user_count++ % kUsers] = {id, from}; }
  u32 user_at(Time time) const {
    for (u32 n = 0; n < kUsers && n < user_count; ++n) {
      const User& user = users[(user_count - 1 - n) % kUsers];
      if (user.from <= time) return user.id;
    }
    return users[user_count % kUsers].id;
  }
};

}  // namespace omen::rt::online
