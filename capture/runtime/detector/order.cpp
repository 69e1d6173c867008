#include "capture/runtime/detector/order.hpp"

#include <new>

#include "analysis/relations/dc.hpp"
#include "analysis/relations/hard_order.hpp"
#include "analysis/relations/hb.hpp"
#include "analysis/relations/wcp.hpp"
#include "analysis/relations/wdc.hpp"
#include "capture/runtime/detector/observing.hpp"

namespace omen::rt::detect {
namespace {

constexpr Tuning kTuning{.most_atomic_sections = std::size_t{1} << 16};

template <class Relation>
class OrderOf final : public Order {
  static constexpr bool kPredicts = Relation::kOrdersConflictingSections;

 public:
  explicit OrderOf(ThreadSlot* slots) : Order(slots) {}

  bool predicts() const override { return kPredicts; }
  bool knows_own_sections() const override {
    if constexpr (kPredicts) return Relation::kKnowsOwnSections;
    return true;
  }
  bool has_rule_b() const override { return Relation::kOrdersReleases; }

  void acquire(Slot t, LockId m, SectionMode mode) override {
    const SpinGuard guard(slots_[t].clock_lock);
    if constexpr (kPredicts) slots_[t].sections.open(m, mode, now(t));
    relation_.acquire(ThreadId{t}, m, mode);
  }
  void release(Slot t, LockId m, SectionMode mode) override {
    const SpinGuard guard(slots_[t].clock_lock);
    if constexpr (kPredicts) {
      const Time released = now(t);
      const bool learned = relation_.take_news(ThreadId{t});
      relation_.release(ThreadId{t}, m, mode,
                        [&](const VectorClock& clock) { slots_[t].sections.close(m, released, clock, learned); });
    } else {
      relation_.release(ThreadId{t}, m, mode);
    }
  }
  void load(Slot t, AtomicId a, MemoryOrder order) override {
    const SpinGuard guard(slots_[t].clock_lock);
    hard_order_.load(ThreadId{t}, a, order);
  }
  void store(Slot t, AtomicId a, MemoryOrder order) override {
    const SpinGuard guard(slots_[t].clock_lock);
    advance(t);
    hard_order_.store(ThreadId{t}, a, order);
  }
  void rmw(Slot t, AtomicId a, MemoryOrder order) override {
    const SpinGuard guard(slots_[t].clock_lock);
    advance(t);
    hard_order_.rmw(ThreadId{t}, a, order);
  }
  void arrive(Slot t, BarrierId b) override {
    const SpinGuard guard(slots_[t].clock_lock);
    advance(t);
    hard_order_.arrive(ThreadId{t}, b);
  }
  void leave(Slot t, BarrierId b) override {
    const SpinGuard guard(slots_[t].clock_lock);
    hard_order_.leave(ThreadId{t}, b);
  }
  void fence(Slot t, MemoryOrder order) override {
    const SpinGuard guard(slots_[t].clock_lock);
    advance(t);
    hard_order_.fence(ThreadId{t}, order);
  }

  void make_object(u32 number) override {
    hard_order_.ensure(AtomicId{number});
    if constexpr (!kPredicts) relation_.ensure_lock(LockId{number});
  }
  void forget_object(u32 number) override {
    relation_.forget(LockId{number});
    hard_order_.forget(AtomicId{number});
    hard_order_.forget(BarrierId{number});
  }

  Time begin(Slot t) override {
    const SpinGuard guard(slots_[t].clock_lock);
    relation_.ensure_thread(ThreadId{t});
    hard_order_.ensure(ThreadId{t});
    hard_order_.begin_again(ThreadId{t});
    if constexpr (kPredicts) {
      if (!slots_[t].sections.exists()) slots_[t].sections.create(!Relation::kKnowsOwnSections);
      relation_.begin_thread(ThreadId{t});
    }
    relation_.tick(ThreadId{t});
    if constexpr (kPredicts) slots_[t].sections.begin(now(t));
    return now(t);
  }
  Time end(Slot t) override {
    const SpinGuard guard(slots_[t].clock_lock);
    advance(t);
    relation_.tick(ThreadId{t});
    return now(t);
  }
  void fork(Slot t, Slot child) override {
    typename Relation::Knowledge known;
    {
      const SpinGuard guard(slots_[t].clock_lock);
      advance(t);
      known = relation_.knowledge(ThreadId{t});
      relation_.tick(ThreadId{t});
    }
    const SpinGuard guard(slots_[child].clock_lock);
    relation_.learn(ThreadId{child}, known);
  }
  void join(Slot t, Slot other) override {
    typename Relation::Knowledge known;
    {
      const SpinGuard guard(slots_[other].clock_lock);
      advance(other);
      known = relation_.knowledge(ThreadId{other});
    }
    const SpinGuard guard(slots_[t].clock_lock);
    relation_.learn(ThreadId{t}, known);
  }
  void follow(Slot t, Slot other, Time time) override {
    if constexpr (kPredicts) {
      typename Relation::Knowledge known;
      {
        const SpinGuard guard(slots_[other].clock_lock);
        advance(other);
        known = relation_.knowledge(ThreadId{other});
        known.limit(ThreadId{other}, end_of_sections_at(slots_[other].sections, time));
      }
      const SpinGuard guard(slots_[t].clock_lock);
      relation_.learn(ThreadId{t}, known);
    }
  }

  void order_after(Slot t, const VectorClock& clock) override {
    if constexpr (kPredicts) {
      const SpinGuard guard(slots_[t].clock_lock);
      relation_.order_after(ThreadId{t}, clock);
    }
  }
  void assume_happens_before(Slot t) override {
    if constexpr (kPredicts) {
      const SpinGuard guard(slots_[t].clock_lock);
      relation_.order_after(ThreadId{t}, relation_.happens_before(ThreadId{t}));
    }
  }
  bool knows(Slot t, Epoch epoch) const override { return relation_.clock(ThreadId{t}).covers(epoch); }

  /// A relation without sections has its one clock for all.
  void describe(DetectorThread& t) override {
    const ThreadId id{t.slot};
    t.clock = &relation_.clock(id);
    t.happened = &relation_.happens_before(id);
    if constexpr (kPredicts) {
      t.known = &relation_.known(id);
    } else {
      t.known = t.clock;
    }
  }

 private:
  Time now(Slot t) const { return relation_.now(ThreadId{t}).time; }
  /// The thread may be about to hand its time to others.
  void advance(Slot t) {
    if constexpr (kPredicts) slots_[t].sections.advance(now(t));
  }

  /// The last end of a section that the thread was in at this time, or at such an end.
  static Time end_of_sections_at(const Sections& sections, Time time) {
    for (Time latest = time;; time = latest) {
      SectionNumber list = kNoSection;
      if (sections.list_at(time, list) == Sections::Memory::Forgotten) return Section::kOpen;
      const auto end = [&](const Section& section) {
        if (section.released != Section::kOpen && section.released > latest) latest = section.released;
        return false;
      };
      if (sections.any(list, end) == Sections::Memory::Forgotten) return Section::kOpen;
      if (latest == time) return latest;
    }
  }

  Relation relation_{kTuning};
  HardOrder<Relation> hard_order_{relation_};
};

template <class Relation>
Order* make(ThreadSlot* slots) {
  using Type = OrderOf<Relation>;
  return new (arena_allocate(sizeof(Type))) Type(slots);
}

}  // namespace

Order* make_order(const char* analysis, ThreadSlot* slots) {
  if (text_equal(analysis, "fto-hb")) return make<Hb>(slots);
  if (text_equal(analysis, "st-wcp")) return make<Wcp>(slots);
  if (text_equal(analysis, "st-dc")) return make<Observing<Dc>>(slots);
  if (text_equal(analysis, "st-wdc")) return make<Observing<Wdc>>(slots);
  return nullptr;
}

}  // namespace omen::rt::detect
