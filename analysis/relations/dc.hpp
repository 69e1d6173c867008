/// \file
/// Doesn't-commute. Vindicator, §4 and appendix A; SmartTrack, Algorithm 1.
///
/// Invariant: clock(t) covers exactly the events DC-before t's next event, and t's own. Rule (a) is the level's part
/// (`order_after`); rule (b) is `RuleB`'s, judged by clock(t).
#pragma once

#include <string_view>
#include <vector>

#include "analysis/relations/one_clock.hpp"
#include "analysis/relations/rule_b.hpp"
#include "analysis/relations/section_mode.hpp"

namespace omen {

class Dc : public OneClockWithSections {
 public:
  static constexpr std::string_view kName = "dc";

  explicit Dc(const Tuning& tuning) : rule_b_(tuning) {}

  void acquire(ThreadId t, LockId m, SectionMode /*mode*/) {
    rule_b_.acquired(t, m, threads_[t][t]);
    tick(t);
  }

  template <class Publish>
  void release(ThreadId t, LockId m, SectionMode mode, Publish publish) {
    rule_b_.before_release(t, m, mode, threads_[t], /*own_sections=*/false,
                           [&](const VectorClock& earlier) { threads_[t].join(earlier); });
    rule_b_.released(t, m, mode, threads_[t][t], threads_[t]);
    publish(threads_[t]);
    tick(t);
  }

  /// Drops what rule (b) no longer needs. `other_clocks(add)` names every clock outside the relation that may be
  /// learned.
  template <class OtherClocks>
  void collect(const OtherClocks& other_clocks) {
    if (!rule_b_.wants_collection()) return;
    std::vector<const VectorClock*> live;
    for (const VectorClock& clock : threads_) live.push_back(&clock);
    other_clocks([&](const VectorClock& clock) { live.push_back(&clock); });
    rule_b_.collect(live);
  }

 private:
  RuleB rule_b_;
};

}  // namespace omen
