/// \file
/// The common part of the relations with one clock per thread: HB, DC and WDC. WCP needs three.
#pragma once

#include <cstdint>
#include <utility>

#include "analysis/clocks/release_clock.hpp"
#include "analysis/clocks/thread_clocks.hpp"
#include "analysis/memory.hpp"
#include "analysis/relations/section_mode.hpp"

namespace omen {

class OneClockPerThread {
 public:
  /// The knowledge that flows along a hard edge (`HardOrder`).
  using Knowledge = VectorClock;

  void ensure_thread(ThreadId t) { threads_.ensure(t); }

  /// The events before t's next event; races are judged by it.
  const VectorClock& clock(ThreadId t) const { return threads_[t]; }
  static const VectorClock& clock(const Knowledge& knowledge) { return knowledge; }
  Epoch now(ThreadId t) const { return {threads_[t][t], t}; }
  [[gnu::always_inline]] void tick(ThreadId t) { threads_[t].tick(t); }

  const Knowledge& knowledge(ThreadId t) const { return threads_[t]; }
  void learn(ThreadId t, const Knowledge& knowledge) { threads_[t].join(knowledge); }
  /// True if t knows everything that u did and knew.
  bool knows_all_of(ThreadId t, ThreadId u, Time /*released*/) const { return threads_[t].covers(threads_[u]); }

  /// Visits the clocks that can flow into a thread's: the threads' own, and those of knowledge that can still be
  /// learned.
  template <class Visit>
  void for_each_clock(Visit visit) const {
    for (const VectorClock& clock : threads_) visit(clock);
  }
  template <class Visit>
  static void for_each_clock(const Knowledge& knowledge, Visit visit) {
    visit(knowledge);
  }

 protected:
  ThreadClocks threads_;
};

/// The additions of DC and WDC for rules (a) and (b), which the levels compute.
class OneClockWithSections : public OneClockPerThread {
 public:
  static constexpr bool kOrdersConflictingSections = true;
  /// A thread always knows its own sections.
  static constexpr bool kKnowsOwnSections = true;

  /// True if the section that its owner ended at `released` is known to be before t's next event, together with
  /// everything that rule (a) would order before it.
  bool knows_section(ThreadId t, Epoch released) const { return threads_[t].covers(released); }
  /// The local times of other threads up to which t knows their sections in that sense. Rule (b) is judged by it.
  const VectorClock& known(ThreadId t) const { return threads_[t]; }
  /// Rules (a) and (b): t's next event comes after the section that published this clock.
  void order_after(ThreadId t, const VectorClock& section) {
    threads_[t].join(section);
    has_news(t);
  }
  void order_after(ThreadId t, const ReleaseClock& section) {
    section.join_into(threads_[t]);
    has_news(t);
  }

  void learn(ThreadId t, const Knowledge& knowledge) {
    OneClockPerThread::learn(t, knowledge);
    has_news(t);
  }
  /// True if t has learned something of other threads since the last call.
  bool take_news(ThreadId t) { return index(t) < news_.size() && std::exchange(news_[index(t)].any, false); }

  void acquire(ThreadId t, LockId /*m*/, SectionMode /*mode*/) { tick(t); }

  /// Ends a section. `publish(clock)` receives the clock that rules (a) and (b) pass on.
  template <class Publish>
  void release(ThreadId t, LockId /*m*/, SectionMode /*mode*/, Publish publish) {
    publish(threads_[t]);
    tick(t);
  }

 private:
  void has_news(ThreadId t) {
    if (index(t) >= news_.size()) [[unlikely]]
      news_.resize(index(t) + 1);
    news_[index(t)].any = true;
  }

  /// State of one thread, which writes it often: no two share a cache line.
  struct alignas(64) News {
    bool any = false;
  };
  Table<News> news_;
};

}  // namespace omen
