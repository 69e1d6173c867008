/// \file
/// What the levels without critical-section optimisation do at acquires and releases, and which rule (a) metadata they
/// keep.
#pragma once

#include <type_traits>

#include "analysis/levels/conflicting_sections.hpp"
#include "analysis/levels/no_sections.hpp"

namespace omen {

template <class Relation>
class SectionTracking {
 public:
  explicit SectionTracking(Relation& relation) : relation_(relation), sections_(relation) {}

  void acquire(ThreadId t, LockId m, SectionMode mode) {
    relation_.acquire(t, m, mode);
    sections_.acquired(t, m, mode);
  }

  void release(ThreadId t, LockId m, SectionMode mode) {
    if constexpr (Relation::kOrdersConflictingSections) {
      const Epoch released = relation_.now(t);
      relation_.release(t, m, mode, [&](const VectorClock& clock) { sections_.released(t, m, released, clock); });
    } else {
      relation_.release(t, m, mode);
      sections_.released(t);
    }
  }

  /// Rule (a) at an access.
  void access(ThreadId t, VariableId x, bool writes) { sections_.access(t, x, writes); }
  std::size_t held_count(ThreadId t) { return sections_.held_count(t); }
  void begin_life(VariableId x) { sections_.begin_life(x); }

  /// The clocks that an access may still take order from.
  template <class Visit>
  void for_each_clock(Visit visit) const {
    sections_.for_each_clock(visit);
  }

 private:
  using Sections =
      std::conditional_t<Relation::kOrdersConflictingSections, ConflictingSections<Relation>, NoSections<Relation>>;

  Relation& relation_;
  Sections sections_;
};

}  // namespace omen
