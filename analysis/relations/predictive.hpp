/// \file
/// What WCP, DC and WDC have in common, whatever the level: rule (a) for atomics, and the order of sections that are
/// open at a fork. Both need to know which sections a thread is in; both need nothing of its accesses to variables.
///
/// `Base` is a relation with its clocks. It says what an event knows, and takes order.
#pragma once

#include <algorithm>
#include <utility>

#include "analysis/memory.hpp"
#include "analysis/relations/atomic_sections.hpp"
#include "analysis/relations/forked_sections.hpp"
#include "analysis/relations/section_mode.hpp"
#include "analysis/tuning.hpp"
#include "trace/check.hpp"

namespace omen {

template <class Base>
class Predictive : public Base {
 public:
  using Knowledge = typename Base::Knowledge;

  explicit Predictive(const Tuning& tuning) : Base(tuning), atomics_(tuning.most_atomic_sections) {}

  void acquire(ThreadId t, LockId m, SectionMode mode) {
    if (forked_.has_inherited(t)) [[unlikely]] {
      forked_.acquire(t, m, mode, [&](const Knowledge& known) { Base::learn(t, known); });
    }
    held_by(t).push(m, mode);
    Base::acquire(t, m, mode);
  }

  template <class Publish>
  void release(ThreadId t, LockId m, SectionMode mode, Publish publish) {
    Base::release(t, m, mode, [&](const VectorClock& clock) {
      publish(clock);
      Open& section = held_by(t).pop(m);
      atomics_.released(m, mode, Base::now(t), clock, section.accessed);
      if (section.forked != kNotForked) [[unlikely]]
        forked_.end(section.forked, Base::knowledge(t));
    });
  }

  /// Rule (a), before t accesses the atomic.
  void access_atomic(ThreadId t, AtomicId a, bool writes) {
    if (index(t) >= held_.size()) return;
    Held& held = held_[index(t)];
    for (std::size_t i = 0; i < held.depth; ++i) {
      Open& section = held.sections[i];
      if (!section.accessed.add(a, writes)) continue;
      atomics_.access(t, section.lock, section.mode, a, writes, [&](Epoch released, const VectorClock& clock) {
        const bool known = released.is_none() ? Base::known(t).covers(clock) : Base::knows_section(t, released);
        if (!known) Base::order_after(t, clock);
      });
    }
  }

  /// A thread begins; its number may have been another's.
  void begin_thread(ThreadId t) {
    forked_.begin(t);
  }
  /// t has forked the child.
  void fork(ThreadId t, ThreadId child) {
    forked_.inherit(child, t);
    if (index(t) >= held_.size()) return;
    Held& held = held_[index(t)];
    for (std::size_t i = 0; i < held.depth; ++i) {
      Open& section = held.sections[i];
      if (section.forked == kNotForked) section.forked = forked_.open(section.lock, section.mode);
      forked_.inherit(child, section.forked);
    }
  }

  void forget(LockId m) {
    atomics_.forget(m);
    if (!forked_.empty()) forked_.forget(m);
    if constexpr (requires { Base::forget(m); }) Base::forget(m);
  }
  void forget(AtomicId a) { atomics_.forget(a); }

  template <class Visit>
  void for_each_clock(Visit visit) const {
    Base::for_each_clock(visit);
    atomics_.for_each_clock(visit);
    forked_.for_each_knowledge([&](const Knowledge& known) { Base::for_each_clock(known, visit); });
  }
  template <class Visit>
  static void for_each_clock(const Knowledge& knowledge, Visit visit) {
    Base::for_each_clock(knowledge, visit);
  }

 private:
  using Forked = ForkedSections<Knowledge>;
  static constexpr typename Forked::Number kNotForked = Forked::kNone;

  struct Open {
    LockId lock{};
    SectionMode mode{};
    typename Forked::Number forked = kNotForked;
    AccessedAtomics accessed;
  };
  /// The sections that a thread is in. Those beyond `depth` keep their memory for the next ones.
  struct Held {
    Vector<Open> sections;
    std::size_t depth = 0;

    void push(LockId m, SectionMode mode) {
      if (depth == sections.size()) [[unlikely]]
        sections.emplace_back();
      Open& section = sections[depth++];
      section.lock = m;
      section.mode = mode;
      section.forked = kNotForked;
      section.accessed.clear();
    }
    /// Locks may be released in any order. The section stays what it was until the next push.
    Open& pop(LockId m) {
      std::size_t i = depth;
      do {
        OMEN_CHECK(i-- > 0);
      } while (sections[i].lock != m);
      --depth;
      for (; i < depth; ++i) std::swap(sections[i], sections[i + 1]);
      return sections[depth];
    }
  };

  Held& held_by(ThreadId t) {
    if (index(t) >= held_.size()) [[unlikely]]
      held_.resize(index(t) + 1);
    return held_[index(t)];
  }

  Vector<Held> held_;  ///< by thread
  AtomicSections atomics_;
  Forked forked_;
};

}  // namespace omen
