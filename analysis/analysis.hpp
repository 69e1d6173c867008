/// \file
/// An analysis = a relation × a level, composed at compile time, driven by the events of a trace.
///
/// `Analysis` has one handler per operation and does not depend on the source of the events. It drives offline
/// detection. The online detector composes the same relations with its own shadow state (capture/runtime/detector).
#pragma once

#include <cstdint>

#include "analysis/clocks/epoch.hpp"
#include "analysis/levels/reporter.hpp"
#include "analysis/relations/hard_order.hpp"
#include "analysis/relations/section_mode.hpp"
#include "analysis/rules.hpp"
#include "analysis/tuning.hpp"
#include "trace/event.hpp"

namespace omen {

template <class RelationType, template <class> class LevelType>
class Analysis {
 public:
  using Relation = RelationType;
  using Level = LevelType<Relation>;

  explicit Analysis(RaceSink& sink, const Tuning& tuning = {})
      : relation_(tuning), hard_order_(relation_), level_(relation_, sink, tuning) {}

  /// Handles the event at position `at` of a well-formed trace.
  void handle(const Event& event, EventIndex at) {
    const ThreadId t = event.thread;
    if (index(t) >= threads_) [[unlikely]]
      add_thread(t);
    if constexpr (requires { level_.access(t, VariableId{}, Site{}, false); }) {  // reads and writes without a branch
      static_assert(static_cast<int>(Op::Read) == 0 && static_cast<int>(Op::Write) == 1);
      if (event.op <= Op::Write) return level_.access(t, event.variable(), {at, event.location}, event.op == Op::Write);
    }
    switch (event.op) {
      case Op::Read:
        return level_.read(t, event.variable(), {at, event.location});
      case Op::Write:
      case Op::Free:
        return level_.write(t, event.variable(), {at, event.location});
      case Op::Allocate:
        return level_.begin_life(event.variable());
      case Op::Acquire:
      case Op::Wake:
        return acquire(event, SectionMode::Exclusive);
      case Op::AcquireShared:
        return acquire(event, SectionMode::Shared);
      case Op::Release:
      case Op::Wait:
        return release(event, SectionMode::Exclusive);
      case Op::ReleaseShared:
        return release(event, SectionMode::Shared);
      case Op::Fork:
        return hard_order_.fork(t, event.target());
      case Op::Join:
        return hard_order_.join(t, event.target());
      case Op::BarrierArrive:
        return hard_order_.arrive(t, event.barrier());
      case Op::BarrierLeave:
        return hard_order_.leave(t, event.barrier());
      case Op::AtomicLoad:
        return hard_order_.load(t, event.atomic(), event.order);
      case Op::AtomicStore:
        return hard_order_.store(t, event.atomic(), event.order);
      case Op::AtomicRmw:
        return hard_order_.rmw(t, event.atomic(), event.order);
      case Op::Fence:
        return hard_order_.fence(t, event.order);
      case Op::Begin:
      case Op::End:
        return;
    }
  }

  const RuleCounters& counters() const { return level_.counters(); }
  const Level& level() const { return level_; }

  // For the code that gives the slot of an ended thread to another (analysis/thread_slots.hpp).

  void ensure(ThreadId t) {
    if (index(t) >= threads_) add_thread(t);
  }
  Epoch now(ThreadId t) const { return relation_.now(t); }
  /// True if t knows everything that `ended` did and knew, and its sections, the last of which ended at `released` (0:
  /// none).
  bool knows_all_of(ThreadId t, ThreadId ended, Time released) const {
    return relation_.knows_all_of(t, ended, released);
  }
  typename Relation::Knowledge knowledge(ThreadId t) { return relation_.knowledge(t); }
  void learn(ThreadId t, const typename Relation::Knowledge& knowledge) { relation_.learn(t, knowledge); }
  /// From now on the events of slot t belong to another thread.
  void begin_again(ThreadId t) {
    relation_.tick(t);
    hard_order_.begin_again(t);
  }

 private:
  /// Called before t's first event.
  [[gnu::noinline]] void add_thread(ThreadId t) {
    relation_.ensure_thread(t);
    if constexpr (requires { level_.ensure_thread(t); }) level_.ensure_thread(t);
    threads_ = index(t) + 1;
  }

  void acquire(const Event& event, SectionMode mode) {
    if (!event.nested) level_.acquire(event.thread, event.lock(), mode);
  }

  void release(const Event& event, SectionMode mode) {
    if (event.nested) return;
    level_.release(event.thread, event.lock(), mode);
    collect();
  }

  /// Lets the level drop state of old sections that it can no longer need.
  void collect() {
    if constexpr (Relation::kOrdersConflictingSections) {
      if (level_.wants_collection()) [[unlikely]] {
        level_.collect([&](auto visit) {
          relation_.for_each_clock(visit);
          hard_order_.for_each_knowledge([&](const auto& known) { Relation::for_each_clock(known, visit); });
        });
      }
    }
  }

  Relation relation_;
  HardOrder<Relation> hard_order_;
  Level level_;
  std::size_t threads_ = 0;  ///< threads up to the last one that had an event
};

}  // namespace omen
