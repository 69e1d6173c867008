/// \file
/// What the predictive relations add to clocks, from the threads' published sections: SmartTrack's rules.
///
/// An earlier access e@u is, for the thread t,
/// - *unordered*: t's clock does not cover it;
/// - *ordered*: t's clock covers it, but t does not know the ends of all sections that u was in at e. An access that
///   conflicts with e, in a section on the lock of one of them, has yet to be ordered after that section;
/// - *settled* (fully ordered): t's clock covers it, and t knows the ends of all its sections, with all that rule (a)
///   would bring along. A thread ordered after t has nothing to learn of e.
/// With happens-before there are no sections: what is ordered is settled.
///
/// Rule (a): t's access comes after the ended sections of a conflicting access on locks that t holds in a rival mode.
/// Rule (b): a release comes after the ends of rival sections that are known to have begun.
///
/// Sections that have been overwritten (sections.hpp) are treated as happens-before would treat them: t comes after all
/// that happened before it. This adds order, so it may hide a predicted race; it hides no race that the run itself
/// shows, and makes none.
#pragma once

#include "capture/runtime/detector/order.hpp"

namespace omen::rt::detect {

enum class Ordered : u8 { Unordered, Ordered, Settled };

class SectionOrder {
 public:
  SectionOrder() = default;
  SectionOrder(Order& order, ThreadSlot* slots) : order_(&order), slots_(slots), predicts_(order.predicts()) {}

  /// The one question about order.
  Ordered order_of(DetectorThread& t, Word earlier) const;
  /// Rule (a) for a conflicting access of another thread. False: there were no sections to look up.
  bool learn(DetectorThread& t, Word earlier) const;
  /// Rule (b), before t's section on the lock ends.
  void before_release(DetectorThread& t, LockId m, SectionMode mode) const;

  /// Does every thread know the ends of its own sections, by program order? Not in WCP.
  bool knows_own_sections() const { return !predicts_ || order_->knows_own_sections(); }
  /// t's own access takes the place of its own earlier one. In WCP the sections of that may have to be remembered:
  /// program order does not make them known. Not those that t is still in, and not where t is in a section on the same
  /// lock that has all their rivals.
  bool must_keep_own(const DetectorThread& t, Word earlier) const;
  /// Would whoever comes after the later access's sections know those of the earlier one? Both are of one thread.
  bool supersedes(const DetectorThread& t, Word later, Word earlier) const;

  /// After a step: what the fast path looks at.
  void publish(DetectorThread& t, Time now) const;

 private:
  bool knows_section(const DetectorThread& t, Slot u, const Section& section) const {
    return section.released != Section::kOpen && section.released <= (*t.known)[ThreadId{u}];
  }
  bool knows_all_sections(DetectorThread& t, Word earlier) const;
  bool holds_rival(const DetectorThread& t, const Section& section) const;
  bool order_after(DetectorThread& t, Slot u, const Section& section) const;
  void learn_merged(DetectorThread& t, Word earlier) const;
  void assume_happens_before(DetectorThread& t) const;
  void know_old_sections(DetectorThread& t, Time now) const;
  bool look(DetectorThread& t, Slot u) const;
  LockSet look_at_all(DetectorThread& t) const;
  bool order_after_begun(DetectorThread& t, Slot u, LockId m, SectionMode mode) const;
  void make_room(DetectorThread& t, Slot u) const;

  Order* order_ = nullptr;
  ThreadSlot* slots_ = nullptr;
  bool predicts_ = false;
};

}  // namespace omen::rt::detect
