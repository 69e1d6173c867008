/// \file
/// The common part of WCP, DC and WDC, whatever the level: rule (a) for atomics, and hard order that leaves open
/// sections. Both need the sections that a thread is in; neither needs its accesses to variables.
///
/// `Base` is a relation with its clocks. It reports what an event knows, and adds order.
#pragma once

#include <algorithm>
#include <span>
#include <utility>

#include "analysis/memory.hpp"
#include "analysis/relations/atomic_sections.hpp"
#include "analysis/relations/open_sections.hpp"
#include "analysis/relations/section_mode.hpp"
#include "analysis/tuning.hpp"
#include "trace/check.hpp"

namespace omen {

template <class Base>
class Predictive : public Base {
  using Known = typename Base::Knowledge;

 public:
  /// The knowledge that flows along a hard edge.
  struct Knowledge {
    Known known;
    OpenSections<Known> open;

    void join(const Knowledge& other) {
      known.join(other.known);
      if (open.empty() && other.open.empty()) [[likely]]
        return;
      for (const auto& section : other.open) open.add(section);
      open.drop_known(Base::clock(known));
    }
    void clear() {
      known.clear();
      open.clear();
    }
    /// Removes the knowledge of what t did and began after this time.
    void limit(ThreadId t, Time most) {
      known.limit(t, most);
      open.remove([&](const auto& section) { return section->thread == t && section->began > most; });
    }
  };

  explicit Predictive(const Tuning& tuning) : Base(tuning), atomics_(tuning.most_atomic_sections) {}

  void ensure_thread(ThreadId t) {
    Base::ensure_thread(t);
    if (index(t) >= threads_.size()) [[unlikely]]
      threads_.resize(index(t) + 1);
  }
  /// The thread begins; its number may have belonged to another.
  void begin_thread(ThreadId t) { threads_[index(t)].learned.clear(); }

  void acquire(ThreadId t, LockId m, SectionMode mode) {
    Thread& self = threads_[index(t)];
    if (!self.learned.empty()) [[unlikely]]
      order_after_learned(t, m, mode);
    self.push(m, mode, Base::now(t).time);
    Base::acquire(t, m, mode);
  }

  template <class Publish>
  void release(ThreadId t, LockId m, SectionMode mode, Publish publish) {
    Base::release(t, m, mode, [&](const VectorClock& clock) {
      publish(clock);
      Section& section = threads_[index(t)].pop(m);
      if (!section.accessed.empty()) atomics_.released(m, mode, Base::now(t), clock, section.accessed);
      if (section.named) [[unlikely]] {
        section.named->end(Base::now(t), Base::knowledge(t));
        section.named = {};
      }
    });
  }

  /// Rule (a), called before t accesses the atomic.
  void access_atomic(ThreadId t, AtomicId a, bool writes) {
    for (Section& section : threads_[index(t)].held()) {
      if (!section.accessed.add(a, writes)) continue;
      atomics_.access(t, section.lock, section.mode, a, writes, [&](Epoch released, const VectorClock& clock) {
        const bool known = released.is_none() ? Base::known(t).covers(clock) : Base::knows_section(t, released);
        if (!known) Base::order_after(t, clock);
      });
    }
  }

  Knowledge knowledge(ThreadId t) {
    Thread& self = threads_[index(t)];
    Knowledge all{Base::knowledge(t), self.learned};
    for (Section& section : self.held()) {
      if (!section.named) section.named = named_.make(t, section.lock, section.mode, section.began);
      all.open.add(section.named);
    }
    return all;
  }
  void learn(ThreadId t, const Knowledge& knowledge) {
    Base::learn(t, knowledge.known);
    Thread& self = threads_[index(t)];
    if (knowledge.open.empty() && self.learned.empty()) [[likely]]
      return;
    for (const auto& section : knowledge.open) {
      if (section->thread == t) continue;
      if (section->has_ended() && self.holds_rival(*section)) {
        Base::learn(t, section->known);
      } else {
        self.learned.add(section);
      }
    }
    self.learned.drop_known(Base::clock(t));
  }

  /// The lock no longer exists, and its number may be reused. Sections on it that threads have learned of stay: if the
  /// number is reused soon, they add order.
  void forget(LockId m) {
    atomics_.forget(m);
    if constexpr (requires { Base::forget(m); }) Base::forget(m);
  }
  void forget(AtomicId a) { atomics_.forget(a); }

  template <class Visit>
  void for_each_clock(Visit visit) const {
    Base::for_each_clock(visit);
    atomics_.for_each_clock(visit);
    named_.for_each_ended([&](const auto& section) { Base::for_each_clock(section.known, visit); });
  }
  template <class Visit>
  static void for_each_clock(const Knowledge& knowledge, Visit visit) {
    Base::for_each_clock(knowledge.known, visit);
  }

 private:
  /// A section that a thread is in.
  struct Section {
    LockId lock{};
    SectionMode mode{};
    Time began = 0;
    OpenSectionRef<Known> named;  ///< set if knowledge has been published in it
    AccessedAtomics accessed;
  };

  struct Thread {
    Vector<Section> sections;  ///< entries beyond `depth` keep their memory for reuse
    std::size_t depth = 0;
    OpenSections<Known> learned;

    std::span<Section> held() { return {sections.data(), depth}; }
    [[gnu::always_inline]] void push(LockId m, SectionMode mode, Time now) {
      if (depth == sections.size()) [[unlikely]]
        sections.emplace_back();
      Section& section = sections[depth++];
      section.lock = m;
      section.mode = mode;
      section.began = now;
      section.accessed.clear();
    }
    /// Locks may be released in any order. The returned section is valid until the next push.
    [[gnu::always_inline]] Section& pop(LockId m) {
      OMEN_CHECK(depth > 0);
      --depth;
      if (sections[depth].lock != m) [[unlikely]]
        move_up(m);
      return sections[depth];
    }
    /// The innermost section on m becomes the innermost of all.
    [[gnu::noinline]] void move_up(LockId m) {
      std::size_t i = depth;
      do {
        OMEN_CHECK(i > 0);
        --i;
      } while (sections[i].lock != m);
      for (; i < depth; ++i) std::swap(sections[i], sections[i + 1]);
    }
    bool holds_rival(const OpenSection<Known>& other) {
      return std::ranges::any_of(
          held(), [&](const Section& mine) { return mine.lock == other.lock && rivals(mine.mode, other.mode); });
    }
  };

  /// t acquires m: orders it after the ends of the sections on m that it has learned of.
  [[gnu::noinline]] void order_after_learned(ThreadId t, LockId m, SectionMode mode) {
    OpenSections<Known>& learned = threads_[index(t)].learned;
    for (const auto& section : learned) {
      if (section->lock == m && section->has_ended() && rivals(mode, section->mode)) Base::learn(t, section->known);
    }
    learned.drop_known(Base::clock(t));
  }

  OpenSectionPool<Known> named_;  ///< before its owners
  Table<Thread> threads_;
  AtomicSections atomics_;
};

}  // namespace omen
