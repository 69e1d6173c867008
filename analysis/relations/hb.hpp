/// \file
/// Happens-before: every release of m before every later acquire of m, unless both only share it.
///
/// Invariant: clock(t) covers exactly the events HB-before t's next event, and t's own.
/// A release assigns the lock's clock, it does not join (verified detectors, §4): the releasing thread's clock contains
/// it.
#pragma once

#include <string_view>

#include "analysis/memory.hpp"
#include "analysis/relations/one_clock.hpp"
#include "analysis/relations/section_mode.hpp"
#include "analysis/tuning.hpp"

namespace omen {

class Hb : public OneClockPerThread {
 public:
  static constexpr std::string_view kName = "hb";
  static constexpr bool kOrdersConflictingSections = false;  ///< rule (a) is implied: all sections are ordered
  static constexpr bool kOrdersReleases = false;             ///< so is rule (b)

  explicit Hb(const Tuning& /*tuning*/) {}

  void acquire(ThreadId t, LockId m, SectionMode mode) {
    const Lock& released = lock(m);
    threads_[t].join(released.exclusive);
    if (mode == SectionMode::Exclusive) threads_[t].join(released.shared);
  }

  void release(ThreadId t, LockId m, SectionMode mode) {
    Lock& released = lock(m);
    if (mode == SectionMode::Exclusive) {
      released.exclusive = threads_[t];
      released.shared.clear();  // contained: this section began after all of them
    } else {
      released.shared.join(threads_[t]);
    }
    tick(t);
  }

  void ensure_lock(LockId m) { lock(m); }
  /// The lock no longer exists, and its number may be reused.
  void forget(LockId m) { lock(m) = {}; }
  const VectorClock& happens_before(ThreadId t) const { return threads_[t]; }

 private:
  struct Lock {
    VectorClock exclusive;  ///< of the last exclusive release
    VectorClock shared;     ///< of all shared releases since
  };
  Lock& lock(LockId m) {
    if (index(m) >= locks_.size()) locks_.resize(index(m) + 1);
    return locks_[index(m)];
  }

  Table<Lock> locks_;
};

}  // namespace omen
