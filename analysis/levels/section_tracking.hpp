/// \file
/// Acquires and releases in the levels without critical-section optimisation, and their metadata for rules (a) and (b).
#pragma once

#include <type_traits>
#include <vector>

#include "analysis/levels/conflicting_sections.hpp"
#include "analysis/levels/no_sections.hpp"
#include "analysis/levels/rule_b.hpp"
#include "analysis/tuning.hpp"

namespace omen {

template <class Relation>
class SectionTracking {
 public:
  SectionTracking(Relation& relation, const Tuning& tuning)
      : relation_(relation), sections_(relation), rule_b_(tuning) {}

  void acquire(ThreadId t, LockId m, SectionMode mode) {
    if constexpr (Relation::kOrdersReleases) rule_b_.acquired(t, m, relation_.now(t).time);
    relation_.acquire(t, m, mode);
    sections_.acquired(t, m, mode);
  }

  void release(ThreadId t, LockId m, SectionMode mode) {
    if constexpr (Relation::kOrdersReleases) {
      rule_b_.before_release(t, m, mode, relation_.known(t), !Relation::kKnowsOwnSections,
                             [&](const VectorClock& earlier) { relation_.order_after(t, earlier); });
    }
    if constexpr (Relation::kOrdersConflictingSections) {
      const Epoch released = relation_.now(t);
      relation_.release(t, m, mode, [&](const VectorClock& clock) {
        if constexpr (Relation::kOrdersReleases) rule_b_.released(t, m, mode, released.time, clock);
        sections_.released(t, m, released, clock);
      });
    } else {
      relation_.release(t, m, mode);
      sections_.released(t);
    }
  }

  /// Rule (a) at an access.
  void access(ThreadId t, VariableId x, bool writes) { sections_.access(t, x, writes); }
  std::size_t held_count(ThreadId t) { return sections_.held_count(t); }
  void begin_life(VariableId x) { sections_.begin_life(x); }

  bool wants_collection() const { return Relation::kOrdersReleases && rule_b_.wants_collection(); }
  /// `clocks(visit)` visits the clocks outside the level that can flow into a thread's.
  template <class Clocks>
  void collect(const Clocks& clocks) {
    std::vector<const VectorClock*> live;
    const auto add = [&](const VectorClock& clock) { live.push_back(&clock); };
    clocks(add);
    sections_.for_each_clock(add);
    rule_b_.collect(live);
  }

 private:
  using Sections =
      std::conditional_t<Relation::kOrdersConflictingSections, ConflictingSections<Relation>, NoSections<Relation>>;

  Relation& relation_;
  Sections sections_;
  RuleB rule_b_;  ///< empty where the relation has no rule (b)
};

}  // namespace omen
