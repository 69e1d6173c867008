/// \file
/// Weak-causally-precedes: rules (a) and (b), composed with happens-before on both sides. Clock rules: docs/design.md,
/// "WCP's three clocks".
///
/// Invariants, for thread t and its next event e:
/// - hb(t) covers the events HB-before e, and t's own up to now;
/// - wcp(t) covers the events WCP-before e. Its own component is what other threads know of t *and have brought back*,
///   not t's local time: losing it loses order that travels t → u → t → v;
/// - all(t) covers WCP ∪ thread order before e, and t's own. Races are judged by it. It differs from wcp(t) by hard
///   order (fork, join, barriers, atomics), which is not WCP: rule (b) does not count it, and a lock does not pass it
///   on.
#pragma once

#include <string_view>

#include "analysis/clocks/release_clock.hpp"
#include "analysis/clocks/vector_clock.hpp"
#include "analysis/memory.hpp"
#include "analysis/relations/predictive.hpp"
#include "analysis/relations/section_mode.hpp"
#include "analysis/tuning.hpp"

namespace omen {

class WcpClocks {
 public:
  static constexpr std::string_view kName = "wcp";
  static constexpr bool kOrdersConflictingSections = true;
  static constexpr bool kOrdersReleases = true;
  /// Program order is not WCP: a thread's own section, and the events HB-before it, may be unknown to its wcp clock.
  static constexpr bool kKnowsOwnSections = false;

  struct Knowledge {
    VectorClock hb;
    VectorClock wcp;
    VectorClock all;

    void join(const Knowledge& other) {
      hb.join(other.hb);
      wcp.join(other.wcp);
      all.join(other.all);
    }
    void clear() {
      hb.clear();
      wcp.clear();
      all.clear();
    }
    void limit(ThreadId t, Time most) {
      hb.limit(t, most);
      wcp.limit(t, most);
      all.limit(t, most);
    }
  };

  explicit WcpClocks(const Tuning& /*tuning*/) {}

  void ensure_thread(ThreadId t) {
    if (index(t) >= threads_.size()) [[unlikely]]
      grow(t);
  }
  const VectorClock& clock(ThreadId t) const { return threads_[index(t)].all; }
  static const VectorClock& clock(const Knowledge& knowledge) { return knowledge.all; }
  Epoch now(ThreadId t) const { return {clock(t)[t], t}; }
  void tick(ThreadId t) {
    threads_[index(t)].hb.tick(t);
    threads_[index(t)].all.tick(t);
  }

  const Knowledge& knowledge(ThreadId t) const { return threads_[index(t)]; }
  void learn(ThreadId t, const Knowledge& knowledge) { threads_[index(t)].join(knowledge); }

  /// True if t knows everything that u did and knew, and in WCP u's sections, the last of which ended at `released` (0:
  /// none).
  bool knows_all_of(ThreadId t, ThreadId u, Time released) const {
    const Knowledge& mine = threads_[index(t)];
    const Knowledge& theirs = threads_[index(u)];
    return mine.hb.covers(theirs.hb) && mine.wcp.covers(theirs.wcp) && mine.all.covers(theirs.all) &&
           knows_section(t, {released, u});
  }

  void acquire(ThreadId t, LockId m, SectionMode mode) {
    const Lock& released = lock(m);
    inherit(t, released.exclusive);
    if (mode == SectionMode::Exclusive) inherit(t, released.shared);
    tick(t);
  }

  /// Ends a section. `publish(clock)` receives the clock that rules (a) and (b) pass on: the HB clock, since whatever
  /// is HB-before a release is WCP-before everything that the release is WCP-before.
  template <class Publish>
  void release(ThreadId t, LockId m, SectionMode mode, Publish publish) {
    Knowledge& self = threads_[index(t)];
    publish(self.hb);
    Lock& released = lock(m);
    if (mode == SectionMode::Exclusive) {
      released.exclusive.hb = self.hb;
      released.exclusive.wcp = self.wcp;
      released.shared.hb.clear();
      released.shared.wcp.clear();
    } else {
      released.shared.hb.join(self.hb);
      released.shared.wcp.join(self.wcp);
    }
    tick(t);
  }

  /// The lock no longer exists, and its number may be reused.
  void forget(LockId m) { lock(m) = {}; }
  const VectorClock& happens_before(ThreadId t) const { return threads_[index(t)].hb; }

  bool knows_section(ThreadId t, Epoch released) const { return threads_[index(t)].wcp.covers(released); }
  const VectorClock& known(ThreadId t) const { return threads_[index(t)].wcp; }
  void order_after(ThreadId t, const VectorClock& section) {
    threads_[index(t)].wcp.join(section);
    threads_[index(t)].all.join(section);
  }
  void order_after(ThreadId t, const ReleaseClock& section) {
    section.join_into(threads_[index(t)].wcp);
    section.join_into(threads_[index(t)].all);
  }

  /// True if t has learned something of other threads since the last call. At nearly every acquire it does.
  static bool take_news(ThreadId /*t*/) { return true; }

  /// Visits the clocks that can flow into a thread's wcp clock. `all` flows into no other.
  template <class Visit>
  void for_each_clock(Visit visit) const {
    for (const Knowledge& thread : threads_) for_each_clock(thread, visit);
    for (const Lock& lock : locks_) {
      for (const Passed* passed : {&lock.exclusive, &lock.shared}) {
        visit(passed->hb);
        visit(passed->wcp);
      }
    }
  }
  template <class Visit>
  static void for_each_clock(const Knowledge& knowledge, Visit visit) {
    visit(knowledge.hb);
    visit(knowledge.wcp);
  }

 private:
  void grow(ThreadId t) {
    while (index(t) >= threads_.size()) {
      const ThreadId next{static_cast<std::uint32_t>(threads_.size())};
      Knowledge& fresh = threads_.emplace_back();
      fresh.hb.set(next, 1);
      fresh.all.set(next, 1);
    }
  }

  /// The clocks that a lock passes on: HB order, and WCP order composed with it. Not `all`: thread order is not WCP.
  struct Passed {
    VectorClock hb;
    VectorClock wcp;
  };
  struct Lock {
    Passed exclusive;  ///< of the last exclusive release
    Passed shared;     ///< of all shared releases since
  };

  void inherit(ThreadId t, const Passed& passed) {
    if (passed.hb.size() == 0) return;  // no release yet; most locks never have a shared one
    Knowledge& self = threads_[index(t)];
    self.hb.join(passed.hb);
    self.wcp.join(passed.wcp);
    self.all.join(passed.wcp);
  }
  Lock& lock(LockId m) {
    if (index(m) >= locks_.size()) locks_.resize(index(m) + 1);
    return locks_[index(m)];
  }

  Table<Knowledge> threads_;
  Table<Lock> locks_;
};
using Wcp = Predictive<WcpClocks>;

}  // namespace omen
