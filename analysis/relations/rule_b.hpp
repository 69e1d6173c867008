/// \file
/// Rule (b) of WCP and DC: r1 → r2 when acq(r1) → r2, for sections on one lock. SmartTrack, Algorithms 1 to 3, the queues
/// Acq and Rel.
///
/// Departure: the papers keep a queue per lock and *pair* of threads. Here each thread that uses a lock has one log of its
/// sections on it, and each other user a cursor into that log. An acquire costs O(1), not O(threads).
///
/// Invariant: a log is ordered by time; what lies before a consumer's cursor is already known to that consumer.
///
/// Memory: an entry matters only as the last one of its log that some clock covers. `collect` drops all others; see there.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analysis/clocks/clock_pool.hpp"
#include "analysis/relations/section_mode.hpp"
#include "analysis/tuning.hpp"

namespace omen {

class RuleB {
 public:
  RuleB(ClockPool& pool, const Tuning& tuning)
      : pool_(pool), tuning_(tuning), next_collection_(tuning.first_collection) {}

  /// Thread t starts a section on m at its local time `now`.
  void acquired(ThreadId t, LockId m, Time now) { user(lock(m), t).acquired = now; }

  /// Before t's section on m ends: calls `order_after(clock)` with the release clock of each section that rule (b) orders
  /// before this release. `known` is the clock by which acq(r1) → r2 is judged; `order_after` is expected to grow it.
  /// `own_sections`: also t's own earlier sections. WCP needs them, since what others know of t may have come back
  /// to t (docs/event-model.md); in DC they are in program order anyway.
  template <class OrderAfter>
  void before_release(ThreadId t, LockId m, SectionMode mode, const VectorClock& known, bool own_sections,
                      OrderAfter order_after) {
    Lock& shared = lock(m);
    const std::size_t me = slot(shared, t);
    bool again = true;
    while (again) {
      again = false;
      for (std::size_t them = 0; them < shared.users.size(); ++them) {
        if (them == me && !own_sections) continue;
        for (const SectionMode theirs : {SectionMode::Exclusive, SectionMode::Shared}) {
          if (rivals(mode, theirs) && consume(shared, me, them, theirs, known, order_after)) {
            // One pass is enough among exclusive sections: a release clock already contains those of earlier sections
            // ordered before it. Shared sections that overlap do not contain each other's.
            again = shared.has_shared;
          }
        }
      }
    }
  }

  /// t's section on m ends at its local time `now` with the clock `release`.
  void released(ThreadId t, LockId m, SectionMode mode, Time now, const ClockRef& release);

  /// Is it time to `collect`?
  bool wants_collection() const { return entries_ >= next_collection_; }

  /// Drops entries that can no longer matter. `live` are all clocks outside the pool that can still flow into a thread's
  /// clock. A thread's future knowledge of thread u is then one of: a u-component of a live clock, of a pooled clock
  /// that somebody besides a log owns, of the clock of an entry that is kept, or a time that u has not reached yet.
  /// So of each log of u the last entry that each of these values covers is kept, and the very last; the rest goes.
  void collect(const std::vector<const VectorClock*>& live);

  std::size_t entries() const { return entries_; }

 private:
  struct Section {
    Time acquired;
    Time released;
    ClockRef release;
    bool keep = false;  ///< used within `collect` only
  };
  using Log = std::vector<Section>;
  struct User {
    ThreadId thread{};
    Time acquired = 0;                                       ///< of the open section
    std::array<Log, 2> logs;                                 ///< by mode
    std::vector<std::array<std::uint32_t, 2>> cursors;       ///< into the logs of each other user, by mode
  };
  struct Lock {
    std::vector<User> users;
    std::vector<std::uint32_t> slots;  ///< thread → 1 + index in `users`; 0: not a user yet
    bool has_shared = false;
  };
  class LiveTimes;

  Lock& lock(LockId m) {
    if (index(m) >= locks_.size()) locks_.resize(index(m) + 1);
    return locks_[index(m)];
  }
  static std::size_t slot(Lock& lock, ThreadId t) {
    if (index(t) >= lock.slots.size()) lock.slots.resize(index(t) + 1);
    std::uint32_t& slot = lock.slots[index(t)];
    if (slot == 0) {
      lock.users.emplace_back().thread = t;
      slot = static_cast<std::uint32_t>(lock.users.size());
    }
    return slot - 1;
  }
  static User& user(Lock& lock, ThreadId t) { return lock.users[slot(lock, t)]; }

  template <class OrderAfter>
  static bool consume(Lock& lock, std::size_t me, std::size_t them, SectionMode mode, const VectorClock& known,
                      OrderAfter& order_after) {
    const User& theirs = lock.users[them];
    const Log& log = theirs.logs[static_cast<std::size_t>(mode)];
    auto& cursors = lock.users[me].cursors;
    if (them >= cursors.size()) cursors.resize(lock.users.size());
    std::uint32_t& cursor = cursors[them][static_cast<std::size_t>(mode)];
    const Time covered = known[theirs.thread];
    if (cursor >= log.size() || log[cursor].acquired > covered) return false;
    while (cursor < log.size() && log[cursor].acquired <= covered) ++cursor;
    const Section& last = log[cursor - 1];
    if (last.released <= covered) return false;  // its release, and so its release clock, is known already
    order_after(*last.release);
    return true;
  }

  static void drop_unkept(Lock& lock, std::size_t user, std::size_t mode);

  ClockPool& pool_;
  Tuning tuning_;
  std::vector<Lock> locks_;
  std::size_t entries_ = 0;
  std::size_t next_collection_;
};

}  // namespace omen
