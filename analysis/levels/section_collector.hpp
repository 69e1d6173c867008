/// \file
/// Garbage collection of a `SectionTable`: mark and sweep, at long intervals.
///
/// The recent sections of each thread stay, whether or not they matter: nearly every query is about one of them, and an
/// index finds it. Of the others those stay that a query can still reach:
/// - rule (a): sections that some variable's epoch, an open section or ancillary metadata refers to;
/// - rule (b): horizons of clocks that can still flow into a thread's clock. Such a clock D may be the clock of a
///   section that is kept. Through a section S at D's horizon, a thread that has joined D joins S's clock too. So S is
///   kept, with its horizons in turn; but only those of threads of which S's clock knows more than D, since the thread
///   knows the rest from D. This keeps the chain short (docs/design.md, "Rule b").
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "analysis/levels/section_table.hpp"
#include "analysis/memory.hpp"

namespace omen {

class SectionCollector {
 public:
  explicit SectionCollector(SectionTable& table) : table_(table) {
    const std::uint32_t count = table.tuning_.recent(table.threads_.size());
    for (const Thread& thread : table.threads_) {
      const auto last = [](const auto& store, std::uint32_t n) {
        return store.end() - std::min(n, store.end() - store.first_recent());
      };
      const SectionNumber sections = last(thread.sections, count);
      recent_.push_back({sections, first_clock_of(thread, sections), last(thread.lists, 2 * count)});
    }
    kept_.resize(recent_.size());
  }

  /// `for_each_epoch(visit)` visits the epochs that variables still have, `for_each_section(visit)` the sections
  /// (thread, number) that ancillary metadata refers to, `for_each_clock(visit)` the clocks outside the table that can
  /// flow into the clock by which rule (b) is judged, if there is a rule (b). `variables`: their number; a collection
  /// visits all, so the next one waits for as many sections.
  template <bool kRuleB, class ForEachEpoch, class ForEachSection, class ForEachClock>
  void collect(std::size_t variables, ForEachEpoch for_each_epoch, ForEachSection for_each_section,
               ForEachClock for_each_clock) {
    for_each_epoch([&](Epoch e) {
      if (index(e.thread) >= recent_.size() || e.time >= recent_[index(e.thread)].lists) return;
      mark_for_a<kRuleB>(e.thread, keep_moment(e.thread, e.time));
    });
    for_each_section([&](ThreadId t, SectionNumber number) { mark_for_a<kRuleB>(t, number); });
    for (std::size_t t = 0; t < recent_.size(); ++t) mark_from_recent<kRuleB>(ThreadId{static_cast<std::uint32_t>(t)});
    if constexpr (kRuleB) {
      note_recent_moments();
      for_each_clock([&](const VectorClock& clock) { mark_horizons(clock); });
      for (std::size_t t = 0; t < recent_.size(); ++t) {
        table_.threads_[t].clocks.for_each_from(recent_[t].clocks,
                                                [&](const VectorClock& clock) { mark_horizons(clock); });
      }
      for (const ReleaseClock& clock : older_clocks_) mark_horizons(clock.copy());
      mark_what_follows();
    }
    table_.live_ = 0;
    for (std::size_t t = 0; t < recent_.size(); ++t) {
      sweep(table_.threads_[t], recent_[t], kept_[t]);
      table_.live_ += table_.threads_[t].sections.size();
    }
    table_.next_collection_ = table_.tuning_.next_collection(table_.live_, variables);
  }

 private:
  using Thread = SectionTable::Thread;

  /// The numbers from which on everything of a thread is kept.
  struct Recent {
    SectionNumber sections = 0;
    std::uint32_t clocks = 0;
    Time lists = 0;
  };

  /// The older entries of a thread that are kept, collected during the marking.
  struct Kept {
    Vector<SectionNumber> sections;
    Vector<Time> lists;  ///< perhaps more than once
  };

  /// The clock of the first recent section that has ended: the clocks of the recent sections begin there, except for a
  /// few.
  static std::uint32_t first_clock_of(const Thread& thread, SectionNumber first) {
    std::uint32_t clock = 0;
    while (first != thread.sections.end() && clock == 0) clock = thread.sections.at(first++).clock;
    return clock == 0 ? thread.clocks.end() : std::max(clock, thread.clocks.first_recent());
  }

  /// The list of a moment that is not recent; keeps the moment if it has a list.
  SectionNumber keep_moment(ThreadId t, Time time) {
    const SectionNumber* list = table_.threads_[index(t)].lists.find(time);
    if (list == nullptr || *list == kNoSection) return kNoSection;
    kept_[index(t)].lists.push_back(time);
    return *list;
  }

  /// Marks the entries of a list that are not recent, and calls `on_new(section)` for each that was not marked before.
  /// `mark_from_recent` marks the sections around a recent entry.
  template <class OnNew>
  void mark(ThreadId t, SectionNumber list, const OnNew& on_new) {
    Thread& thread = table_.threads_[index(t)];
    while (list != kNoSection && list < recent_[index(t)].sections) {
      Section& section = thread.sections.at(list);
      if (section.marked) return;
      section.marked = true;
      kept_[index(t)].sections.push_back(list);
      on_new(section);
      if (section.original != list) mark(t, section.original, on_new);
      list = section.outer;
    }
  }

  template <bool kRuleB>
  void mark_for_a(ThreadId t, SectionNumber list) {
    mark(t, list, [&](const Section& section) {
      if constexpr (kRuleB) note_clock(t, section);
    });
  }

  /// The clock of a kept section can flow into a thread's. It has to be visited unless it is among the recent clocks
  /// and so is its own time, which the section has.
  void note_clock(ThreadId t, const Section& section) {
    if (section.clock == 0) return;
    if (section.clock < recent_[index(t)].clocks || section.released + 1 < recent_[index(t)].lists)
      older_clocks_.push_back(table_.release_clock(t, section));
  }

  /// Marks the entries that the thread's recent entries refer to. An older entry of this kind was open when the first
  /// recent one was created. So it encloses that one, or, if that one repeats a section, is inside it and is repeated
  /// next.
  template <bool kRuleB>
  void mark_from_recent(ThreadId t) {
    const Thread& thread = table_.threads_[index(t)];
    const Recent& recent = recent_[index(t)];
    mark_for_a<kRuleB>(t, thread.current);
    for (Time time = recent.lists; time != thread.lists.end(); ++time) {
      const SectionNumber list = thread.lists.at(time);
      if (list >= recent.sections) break;
      mark_for_a<kRuleB>(t, list);
    }
    for (SectionNumber number = recent.sections; number != thread.sections.end(); ++number) {
      const Section& section = thread.sections.at(number);
      mark_for_a<kRuleB>(t, section.outer);
      mark_for_a<kRuleB>(t, section.original);
      if (section.original == number) break;
    }
    if constexpr (kRuleB)
      thread.sections.for_each_from(recent.sections, [&](const Section& section) { note_clock(t, section); });
  }

  // ---- Rule (b).

  void note_recent_moments() {
    for (std::size_t u = 0; u < recent_.size(); ++u) {
      recent_moments_.set(ThreadId{static_cast<std::uint32_t>(u)}, std::max<Time>(recent_[u].lists, 1) - 1);
    }
  }

  void mark_horizons(const VectorClock& clock) {
    if (clock.covers(recent_moments_)) return;
    const std::span<const Time> times = clock.lanes();
    for (std::size_t u = 0; u < std::min(times.size(), recent_.size()); ++u) {
      mark_horizon(ThreadId{static_cast<std::uint32_t>(u)}, times[u], clock);
    }
  }

  /// A thread may come to know u up to `known`, and then knows all of `clock`.
  void mark_horizon(ThreadId u, Time known, const VectorClock& clock) {
    if (known == 0 || known + 1 >= recent_[index(u)].lists) return;
    Thread& thread = table_.threads_[index(u)];
    const SectionNumber first = keep_moment(u, known + 1);
    mark(u, first, [](const Section&) {});
    for (SectionNumber list = first; list != kNoSection; list = thread.sections.at(list).outer) {
      const SectionNumber original = thread.sections.at(list).original;
      Section& section = thread.sections.at(original);
      if (section.clock == 0) continue;
      const VectorClock release = table_.release_clock(u, section).copy();
      if (!clock.covers(release)) reach(u, original, section, release, clock);
    }
  }

  /// A thread that knows `known` may come to know `release`, through this section.
  void reach(ThreadId t, SectionNumber number, Section& section, const VectorClock& release, const VectorClock& known) {
    for (std::size_t i = 0; i < std::min(release.size(), recent_.size()); ++i) {
      const ThreadId u{static_cast<std::uint32_t>(i)};
      if (release[u] > known[u] && is_new({t, number, u}, section)) reached_.push_back({t, number, u});
    }
  }

  /// Marks the horizons that are reached through sections of rule (b).
  void mark_what_follows() {
    for (std::size_t i = 0; i < reached_.size(); ++i) {
      const auto [t, number, u] = reached_[i];
      const VectorClock clock = table_.release_clock(t, table_.section(t, number)).copy();
      mark_horizon(u, clock[u], clock);
    }
    for (const Reached& step : reached_) table_.threads_[index(step.thread)].sections.at(step.number).reached = 0;
  }

  struct Reached {
    ThreadId thread;
    SectionNumber number;
    ThreadId of;  ///< the section's clock knows more of this thread
    bool operator==(const Reached&) const = default;
  };
  /// If it returns true, the caller appends the step to `reached_`.
  bool is_new(const Reached& step, Section& section) {
    if (index(step.of) >= 16) return is_new_of_many(step);
    const auto bit = static_cast<std::uint16_t>(1U << index(step.of));
    const bool is = (section.reached & bit) == 0;
    section.reached |= bit;
    return is;
  }

  /// As `Section::reached`, for threads without a bit.
  bool is_new_of_many(const Reached& step) {
    if (2 * (others_used_ + 1) > others_.size()) grow_others();
    std::size_t i = slot_of(step);
    for (; others_[i] != 0; i = (i + 1) & (others_.size() - 1)) {
      if (reached_[others_[i] - 1] == step) return false;
    }
    others_[i] = static_cast<std::uint32_t>(reached_.size() + 1);
    ++others_used_;
    return true;
  }
  std::size_t slot_of(const Reached& step) const {
    const std::uint64_t key =
        (std::uint64_t{step.number} << 32) ^ (std::uint64_t{index(step.thread)} << 16) ^ index(step.of);
    return (key * 0x9E3779B97F4A7C15ULL >> 20) & (others_.size() - 1);
  }
  void grow_others() {
    Vector<std::uint32_t> old(std::max<std::size_t>(64, 2 * others_.size()));
    old.swap(others_);
    for (const std::uint32_t place : old) {
      if (place == 0) continue;
      std::size_t i = slot_of(reached_[place - 1]);
      while (others_[i] != 0) i = (i + 1) & (others_.size() - 1);
      others_[i] = place;
    }
  }

  static void sweep(Thread& thread, const Recent& recent, Kept& kept) {
    std::ranges::sort(kept.sections);
    for (const SectionNumber number : kept.sections) thread.sections.at(number).marked = false;
    Vector<std::uint32_t> clocks;
    const auto keep_clock = [&](const Section& section) {
      if (section.clock != 0 && section.clock < recent.clocks) clocks.push_back(section.clock);
    };
    for (const SectionNumber number : kept.sections) keep_clock(thread.sections.at(number));
    thread.sections.for_each_from(recent.sections, keep_clock);
    sort_uniquely(clocks);
    sort_uniquely(kept.lists);
    thread.clocks.keep_only(clocks, recent.clocks);
    thread.sections.keep_only(kept.sections, recent.sections);
    thread.lists.keep_only(kept.lists, recent.lists);
  }
  static void sort_uniquely(Vector<std::uint32_t>& numbers) {
    std::ranges::sort(numbers);
    const auto repeated = std::ranges::unique(numbers);
    numbers.erase(repeated.begin(), repeated.end());
  }

  SectionTable& table_;
  Vector<Recent> recent_;              ///< by thread
  Vector<Kept> kept_;                  ///< by thread
  Vector<ReleaseClock> older_clocks_;  ///< of sections kept for rule (a)
  VectorClock recent_moments_;         ///< a clock that knows this much of a thread has a horizon that is kept anyway
  Vector<Reached> reached_;
  Vector<std::uint32_t> others_;  ///< by hash: 1 + the index in `reached_` of a step without a bit; 0: none
  std::size_t others_used_ = 0;
};

}  // namespace omen
