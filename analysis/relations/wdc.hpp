/// \file
/// Weak-doesn't-commute: DC without rule (b). SmartTrack §3.
///
/// Invariant: clock(t) covers exactly the events WDC-before t's next event, and t's own. Rule (a) is the level's part:
/// it knows which sections conflict, and calls `order_after`. The local time also advances at each acquire, which makes
/// the levels' same-epoch tests right (SmartTrack §4.1), and makes an epoch determine the sections that its thread was
/// in.
#pragma once

#include <string_view>

#include "analysis/relations/one_clock.hpp"
#include "analysis/relations/section_mode.hpp"
#include "analysis/tuning.hpp"

namespace omen {

class Wdc : public OneClockWithSections {
 public:
  static constexpr std::string_view kName = "wdc";

  explicit Wdc(const Tuning& /*tuning*/) {}

  void acquire(ThreadId t, LockId /*m*/, SectionMode /*mode*/) { tick(t); }

  /// Ends a section. `publish(clock)` is given the clock that rule (a) hands to conflicting accesses.
  template <class Publish>
  void release(ThreadId t, LockId /*m*/, SectionMode /*mode*/, Publish publish) {
    publish(threads_[t]);
    tick(t);
  }

  /// No logs, nothing to collect.
  template <class OtherClocks>
  void collect(const OtherClocks& /*other_clocks*/) {}
};

}  // namespace omen
