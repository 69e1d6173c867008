/// \file
/// A predictive relation that also knows happens-before, in step: both give the same epochs. So a race can be told to
/// be one that this very run shows, or a predicted one.
#pragma once

#include "analysis/relations/hb.hpp"

namespace omen::rt::detect {

template <class Base>
class Observing : public Base {
 public:
  struct Knowledge {
    typename Base::Knowledge base;
    VectorClock hb;

    void join(const Knowledge& other) {
      base.join(other.base);
      hb.join(other.hb);
    }
    void clear() {
      base.clear();
      hb.clear();
    }
    void limit(ThreadId t, Time most) {
      base.limit(t, most);
      hb.limit(t, most);
    }
  };

  explicit Observing(const Tuning& tuning) : Base(tuning), hb_(tuning) {}

  void ensure_thread(ThreadId t) {
    Base::ensure_thread(t);
    hb_.ensure_thread(t);
  }
  void tick(ThreadId t) {
    Base::tick(t);
    hb_.tick(t);
  }
  Knowledge knowledge(ThreadId t) { return {Base::knowledge(t), hb_.knowledge(t)}; }
  void learn(ThreadId t, const Knowledge& knowledge) {
    Base::learn(t, knowledge.base);
    hb_.learn(t, knowledge.hb);
  }
  void acquire(ThreadId t, LockId m, SectionMode mode) {
    hb_.acquire(t, m, mode);
    hb_.tick(t);
    Base::acquire(t, m, mode);
  }
  template <class Publish>
  void release(ThreadId t, LockId m, SectionMode mode, Publish publish) {
    hb_.release(t, m, mode);
    Base::release(t, m, mode, publish);
  }
  void forget(LockId m) {
    hb_.forget(m);
    Base::forget(m);
  }
  void forget(AtomicId a) { Base::forget(a); }
  const VectorClock& happens_before(ThreadId t) const { return hb_.clock(t); }

  using Base::for_each_clock;
  template <class Visit>
  static void for_each_clock(const Knowledge& knowledge, Visit visit) {
    Base::for_each_clock(knowledge.base, visit);
  }

 private:
  Hb hb_;
};

}  // namespace omen::rt::detect
