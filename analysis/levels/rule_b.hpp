/// \file
/// Rule (b) of WCP and DC: r1 → r2 when acq(r1) → r2, for sections on one lock. SmartTrack, Algorithms 1 to 3, the
/// queues Acq and Rel.
///
/// Departure: the papers keep a queue of clocks per lock and *pair* of threads. Here each thread that uses a lock has
/// one log of its sections on it, and each user of the lock has a cursor into each log. A release reads one row of
/// numbers: for each user, the acquire time of its oldest section that the releasing thread has not consumed.
///
/// Invariant: a log is ordered by time; a consumer already knows everything before its cursor.
///
/// Memory: an entry matters only while some clock knows the section's acquire and not its release. `collect` drops all
/// others.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "analysis/clocks/vector_clock.hpp"
#include "analysis/relations/section_mode.hpp"
#include "analysis/tuning.hpp"

namespace omen {

class RuleB {
 public:
  explicit RuleB(const Tuning& tuning) : tuning_(tuning), next_collection_(tuning.first_collection) {}

  /// Thread t starts a section on m at its local time `now`.
  void acquired(ThreadId t, LockId m, Time now) {
    Lock& shared = lock(m);
    shared.users[slot(shared, t)].acquired = now;
  }

  /// Called before t's section on m ends: calls `order_after(clock)` with the release clock of each section that rule
  /// (b) orders before this release. acq(r1) → r2 is judged by `known`, which `order_after` is expected to grow.
  /// `own_sections`: also consider t's own earlier sections. WCP needs them, since what others know of t may have come
  /// back to t (docs/event-model.md); in DC they are in program order anyway.
  template <class OrderAfter>
  void before_release(ThreadId t, LockId m, SectionMode mode, const VectorClock& known, bool own_sections,
                      OrderAfter order_after) {
    Lock& shared = lock(m);
    const std::size_t me = slot(shared, t);
    // One pass is enough for exclusive sections: a release clock already contains those of earlier sections ordered
    // before it. Overlapping shared sections do not contain each other's.
    bool again = true;
    while (again) {
      again = consume_row(shared, me, shared.logs[0], known, own_sections, order_after);
      if (mode == SectionMode::Exclusive && shared.has_shared) {
        again |= consume_row(shared, me, shared.logs[1], known, own_sections, order_after);
      }
    }
  }

  /// t's section on m ends at its local time `now` with the clock `release`.
  void released(ThreadId t, LockId m, SectionMode mode, Time now, const VectorClock& release);

  /// True when `collect` is due.
  bool wants_collection() const { return entries_ >= next_collection_; }
  std::size_t entries() const { return entries_; }

  /// Drops entries that can no longer matter. `live` are all clocks outside the logs that can still flow into a
  /// thread's clock. An entry matters only to a thread that knows the section's acquire but not its release. What a
  /// thread will know of u's past is a u-component of a live clock or of a logged one. So entries with such a component
  /// between acquire and release are kept, and the rest is dropped. (Logged clocks count even if their own entry is
  /// dropped: entries that only they need are dropped at the next collection.)
  void collect(const std::vector<const VectorClock*>& live);

 private:
  static constexpr Time kNone = std::numeric_limits<Time>::max();

  struct Section {
    Time acquired;
    Time released;
    VectorClock release;
    bool keep = false;  ///< used within `collect` only
  };
  struct User {
    ThreadId thread{};
    Time acquired = 0;  ///< of the open section
  };
  /// The logs of one lock's sections of one mode.
  struct Logs {
    std::vector<std::vector<Section>> of;  ///< by user
    std::vector<std::uint32_t> cursors;    ///< by consumer, then user
    std::vector<Time> next;  ///< by consumer, then user: acquire time of the entry at the cursor, or `kNone`
  };
  struct Lock {
    std::vector<User> users;
    std::vector<std::uint32_t> slots;  ///< thread → 1 + index in `users`; 0: not a user yet
    std::size_t width = 0;             ///< of the rows in `logs`: at least the number of users
    std::array<Logs, 2> logs;          ///< by mode
    bool has_shared = false;
  };
  class LiveTimes;

  Lock& lock(LockId m) {
    if (index(m) >= locks_.size()) [[unlikely]]
      locks_.resize(index(m) + 1);
    return locks_[index(m)];
  }
  static std::size_t slot(Lock& lock, ThreadId t) {
    if (index(t) < lock.slots.size() && lock.slots[index(t)] != 0) [[likely]]
      return lock.slots[index(t)] - 1;
    return add_user(lock, t);
  }
  static std::size_t add_user(Lock& lock, ThreadId t);

  /// Returns true if it found order and, in the presence of shared sections, may find more.
  template <class OrderAfter>
  static bool consume_row(Lock& lock, std::size_t me, Logs& logs, const VectorClock& known, bool own_sections,
                          OrderAfter& order_after) {
    bool found = false;
    Time* next = &logs.next[me * lock.width];
    for (std::size_t them = 0; them < lock.users.size(); ++them) {
      const Time covered = known[lock.users[them].thread];
      if (next[them] > covered) [[likely]]
        continue;
      if (them == me && !own_sections) continue;
      const auto& log = logs.of[them];
      std::uint32_t& cursor = logs.cursors[me * lock.width + them];
      while (cursor < log.size() && log[cursor].acquired <= covered) ++cursor;
      next[them] = cursor < log.size() ? log[cursor].acquired : kNone;
      const Section& last = log[cursor - 1];
      if (last.released <= covered) continue;  // its release, and so its release clock, is already known
      order_after(last.release);
      found = true;
    }
    return found && lock.has_shared;
  }

  template <class Visit>
  void for_each_log(Visit visit);
  static void drop_unkept(Lock& lock, Logs& logs, std::size_t user);

  Tuning tuning_;
  std::vector<Lock> locks_;
  std::size_t entries_ = 0;
  std::size_t next_collection_;
};

}  // namespace omen
