#include "capture/runtime/online/engine.hpp"

#include <new>

#include "analysis/levels/fto.hpp"
#include "analysis/levels/smarttrack.hpp"
#include "analysis/relations/dc.hpp"
#include "analysis/relations/hard_order.hpp"
#include "analysis/relations/hb.hpp"
#include "analysis/relations/wcp.hpp"
#include "analysis/relations/wdc.hpp"
#include "capture/runtime/online/observing.hpp"

namespace omen::rt::online {

constinit AnalysisLock analysis_lock;

namespace {

/// Sections that are collected at a time: a collection is a pause for the threads that synchronise meanwhile.
constexpr Tuning kTuning{.first_collection = std::size_t{1} << 15, .most_atomic_sections = std::size_t{1} << 16};

/// What is the same for all relations.
template <class RelationType>
class EngineOf : public Engine {
 public:
  using Relation = RelationType;

  void fork(OnlineThread& t, u32 child) final { hard_order_.fork(t.thread(), ThreadId{child}); }
  void join(OnlineThread& t, u32 child) final { hard_order_.join(t.thread(), ThreadId{child}); }
  void arrive(OnlineThread& t, u32 barrier) final { hard_order_.arrive(t.thread(), BarrierId{barrier}); }
  void leave(OnlineThread& t, u32 barrier) final { hard_order_.leave(t.thread(), BarrierId{barrier}); }
  void load(OnlineThread& t, u32 atomic, MemoryOrder order) final {
    hard_order_.load(t.thread(), AtomicId{atomic}, order);
  }
  void store(OnlineThread& t, u32 atomic, MemoryOrder order) final {
    hard_order_.store(t.thread(), AtomicId{atomic}, order);
  }
  void rmw(OnlineThread& t, u32 atomic, MemoryOrder order) final {
    hard_order_.rmw(t.thread(), AtomicId{atomic}, order);
  }
  void fence(OnlineThread& t, MemoryOrder order) final { hard_order_.fence(t.thread(), order); }
  void follow(OnlineThread& t, u32 slot, Time until) final {
    typename Relation::Knowledge known = relation_.knowledge(ThreadId{slot});
    known.limit(ThreadId{slot}, until);
    relation_.learn(t.thread(), known);
  }
  void forget_object(u32 number) final {
    relation_.forget(LockId{number});
    hard_order_.forget(AtomicId{number});
    hard_order_.forget(BarrierId{number});
  }
  Time begin(u32 slot) override {
    relation_.ensure_thread(ThreadId{slot});
    if constexpr (Relation::kOrdersConflictingSections) relation_.begin_thread(ThreadId{slot});
    relation_.tick(ThreadId{slot});
    return relation_.now(ThreadId{slot}).time;
  }
  Time end(u32 slot) final {
    relation_.tick(ThreadId{slot});
    return relation_.now(ThreadId{slot}).time;
  }
  bool knows(u32 slot, Epoch epoch) final { return relation_.clock(ThreadId{slot}).covers(epoch); }
  bool knows_by_happens_before(u32 slot, Epoch epoch) final {
    return relation_.happens_before(ThreadId{slot}).covers(epoch);
  }

 protected:
  Relation relation_{kTuning};
  HardOrder<Relation> hard_order_{relation_};
};

class HappensBefore final : public EngineOf<Hb> {
 public:
  HappensBefore() { relation_.reserve_threads(kMostSlots); }

  bool is_by_object() override { return true; }
  void make_object(u32 number) override {
    relation_.ensure_lock(LockId{number});
    hard_order_.ensure(AtomicId{number});
  }
  Time begin(u32 slot) override {
    hard_order_.ensure(ThreadId{slot});
    return EngineOf::begin(slot);
  }

  void access(OnlineThread& t, OnlineVariable& x, u64 bytes, bool write) override {
    Local& local = *locals_[t.slot];
    local.receiver.doing = &t;
    local.level.history().bytes = bytes;
    local.level.history().settled = t.own_settled();
    if (write) {
      local.level.write(t.thread(), &x, {});
    } else {
      local.level.read(t.thread(), &x, {});
    }
  }
  void lock_step(OnlineThread&, u32 slot, u32 lock, SyncKind kind) override {
    const ThreadId t{slot};
    const LockId m{lock};
    switch (kind) {
      case SyncKind::Acquire:
        return relation_.acquire(t, m, SectionMode::Exclusive);
      case SyncKind::AcquireShared:
        return relation_.acquire(t, m, SectionMode::Shared);
      case SyncKind::Release:
        return relation_.release(t, m, SectionMode::Exclusive);
      case SyncKind::ReleaseShared:
        return relation_.release(t, m, SectionMode::Shared);
    }
  }
  /// The clock itself: only its thread changes it, and no clock moves.
  void publish(OnlineThread& t) override {
    if (locals_[t.slot] == nullptr) locals_[t.slot] = new (arena_allocate(sizeof(Local))) Local(relation_);
    t.now = word_of(relation_.now(t.thread()), kBytes);
    const std::span<const Time> lanes = relation_.clock(t.thread()).lanes();
    t.settled = lanes.data();
    t.ordered = lanes.data();  // there are no sections
    t.settled_count = static_cast<u32>(lanes.size());
    t.set_own_words();
  }
  RuleCounters counters() override {
    RuleCounters sum;
    for (const Local* local : locals_) {
      if (local == nullptr) continue;
      for (std::size_t i = 0; i < kRuleCount; ++i) sum.fired[i] += local->level.counters().fired[i];
    }
    return sum;
  }

 private:
  /// Each thread has a level of its own: all that they share is in the cells.
  struct Local {
    explicit Local(Hb& relation) : level(relation, receiver, kTuning) {}
    RaceReceiver receiver;
    FtoLevel<Hb, CellHost> level;
  };
  Local* locals_[kMostSlots] = {};
};

template <class Relation>
class Sections final : public EngineOf<Relation> {
  using Base = EngineOf<Relation>;
  using Base::hard_order_;
  using Base::relation_;

 public:
  void access(OnlineThread& t, OnlineVariable& x, u64 bytes, bool write) override {
    const AnalysisGuard guard(analysis_lock);
    receiver_.doing = &t;
    level_.history().bytes = bytes;
    level_.history().settled = t.own_settled();
    if (write) {
      level_.write(t.thread(), &x, {});
    } else {
      level_.read(t.thread(), &x, {});
    }
    level_.ancillary().describe(&x, t.thread());
    publish_changes(t);
  }
  void learn(OnlineThread& t, Epoch earlier) override {
    const AnalysisGuard guard(analysis_lock);
    level_.learn(t.thread(), earlier);
    publish_changes(t);
  }
  void learn_of_all(OnlineThread& t, Epoch last) override {
    const AnalysisGuard guard(analysis_lock);
    level_.learn_of_all(t.thread(), last);
    publish_changes(t);
  }
  Time begin(u32 slot) override {
    const Time first = Base::begin(slot);
    level_.ensure_thread(ThreadId{slot});
    return first;
  }
  void lock_step(OnlineThread&, u32 slot, u32 lock, SyncKind kind) override {
    const ThreadId t{slot};
    const LockId m{lock};
    switch (kind) {
      case SyncKind::Acquire:
        return level_.acquire(t, m, SectionMode::Exclusive);
      case SyncKind::AcquireShared:
        return level_.acquire(t, m, SectionMode::Shared);
      case SyncKind::Release:
        return level_.release(t, m, SectionMode::Exclusive);
      case SyncKind::ReleaseShared:
        return level_.release(t, m, SectionMode::Shared);
    }
  }
  void publish(OnlineThread& t) override {
    t.now = word_of(relation_.now(t.thread()), kBytes);
    const LockSet before = t.sections;
    t.sections = {};
    EpochLocks locks;
    level_.for_each_held(t.thread(), [&](LockId lock, SectionMode mode) {
      t.sections = t.sections | LockSet(lock);
      locks.add(lock, mode == SectionMode::Shared);
    });
    if (!is_published(t) || t.locks_to_learn_of.may_meet(before | t.sections)) publish_known(t);
    if constexpr (!Relation::kKnowsOwnSections) {
      if (t.own_epochs.exists() || t.own_epochs.create()) t.own_epochs.set(time_in(t.now), locks);
    }
    t.set_own_words();
  }
  void collect() override {
    if (!level_.wants_collection()) return;
    level_.collect_forgetting([&](auto visit) {
      relation_.for_each_clock(visit);
      hard_order_.for_each_knowledge([&](const auto& known) { Relation::for_each_clock(known, visit); });
    });
  }
  void forget_ancillary(OnlineVariable& x) override {
    const AnalysisGuard guard(analysis_lock);
    level_.ancillary().forget(&x);
  }
  void clone_ancillary(OnlineVariable& x) override {
    const AnalysisGuard guard(analysis_lock);
    level_.ancillary().clone(&x);
  }
  RuleCounters counters() override { return level_.counters(); }
  u64 sections() override { return level_.live_sections(); }
  u64 ancillary_sections() override { return level_.ancillary().size(); }

 private:
  bool is_published(const OnlineThread& t) {
    return t.settled_count == level_.settled(t.thread()).size() && level_.changes(t.thread()) == t.published_changes;
  }
  void publish_changes(OnlineThread& t) {
    if (is_published(t)) return;
    publish_known(t);
    t.set_own_words();
  }
  /// How far the thread knows the others.
  void publish_known(OnlineThread& t) {
    const std::span<const Time> settled = level_.settled(t.thread());
    t.settled_copy.resize(settled.size());
    t.ordered_copy.resize(settled.size());
    t.locks_to_learn_of = {};
    for (u32 i = 0; i < settled.size(); ++i) {
      t.settled_copy[i] = settled[i];
      t.ordered_copy[i] = level_.ordered(t.thread(), ThreadId{i}, t.sections);
      if (i != t.slot) t.locks_to_learn_of = t.locks_to_learn_of | level_.possible_rivals(t.thread(), ThreadId{i});
    }
    t.settled = t.settled_copy.data();
    t.ordered = t.ordered_copy.data();
    t.settled_count = static_cast<u32>(settled.size());
    t.published_changes = level_.changes(t.thread());
  }

  RaceReceiver receiver_;
  SmartTrackLevel<Relation, CellHost> level_{relation_, receiver_, kTuning};
};

template <class Type>
Engine* make() {
  return new (arena_allocate(sizeof(Type))) Type;
}

}  // namespace

Engine* make_engine(const char* analysis) {
  if (text_equal(analysis, "fto-hb")) return make<HappensBefore>();
  if (text_equal(analysis, "st-wcp")) return make<Sections<Wcp>>();
  if (text_equal(analysis, "st-dc")) return make<Sections<Observing<Dc>>>();
  if (text_equal(analysis, "st-wdc")) return make<Sections<Observing<Wdc>>>();
  return nullptr;
}

}  // namespace omen::rt::online
