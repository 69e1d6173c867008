/// \file
/// Weak-doesn't-commute: DC without rule (b). SmartTrack §3.
///
/// Invariant: clock(t) covers exactly the events WDC-before t's next event, and t's own. Rule (a) is the level's part:
/// it knows which sections conflict, and calls `order_after`. The local time also advances at each acquire, which makes
/// the levels' same-epoch tests right (SmartTrack §4.1), and makes an epoch determine the sections that its thread was
/// in.
#pragma once

#include <string_view>

#include "analysis/clocks/thread_clocks.hpp"
#include "analysis/relations/section_mode.hpp"
#include "analysis/tuning.hpp"

namespace omen {

class Wdc {
 public:
  static constexpr std::string_view kName = "wdc";
  static constexpr bool kOrdersConflictingSections = true;
  /// A thread's own sections are always known to it.
  static constexpr bool kKnowsOwnSections = true;

  using Knowledge = VectorClock;

  explicit Wdc(const Tuning& /*tuning*/) {}

  void ensure_thread(ThreadId t) { threads_.ensure(t); }
  const VectorClock& clock(ThreadId t) const { return threads_[t]; }
  Epoch now(ThreadId t) const { return {threads_[t][t], t}; }
  void tick(ThreadId t) { threads_[t].tick(t); }

  const Knowledge& knowledge(ThreadId t) const { return threads_[t]; }
  void learn(ThreadId t, const Knowledge& knowledge) { threads_[t].join(knowledge); }

  void acquire(ThreadId t, LockId /*m*/, SectionMode /*mode*/) { tick(t); }

  /// Ends a section. `publish(clock)` is given the clock that rule (a) hands to conflicting accesses.
  template <class Publish>
  void release(ThreadId t, LockId /*m*/, SectionMode /*mode*/, Publish publish) {
    publish(threads_[t]);
    tick(t);
  }

  /// The section that its owner ended at `released` is known to be before t's next event, with all that rule (a) would
  /// bring along.
  bool knows_section(ThreadId t, Epoch released) const { return threads_[t].covers(released); }
  /// Up to which local time of u sections are known to t in that sense.
  Time known_of(ThreadId t, ThreadId u) const { return threads_[t][u]; }
  void order_after(ThreadId t, const VectorClock& section) { threads_[t].join(section); }

  /// No logs, nothing to collect.
  template <class OtherClocks>
  void collect(const OtherClocks& /*other_clocks*/) {}

 private:
  ThreadClocks threads_;
};

}  // namespace omen
