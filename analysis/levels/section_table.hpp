/// \file
/// Which critical sections a thread was in, found from an epoch. SmartTrack's critical-section lists (§4.2: H_t, L^r_x,
/// L^w_x) without their per-variable storage.
///
/// The local time advances at every acquire and release, so an epoch c@t *determines* the list that t held at c. One
/// table per thread, from local time to list, replaces a list per variable: a variable has FastTrack's two words and no
/// more. A section refers to the one around it, so a list is named by its innermost section and lists share their
/// tails.
///
/// The table also says in which sections a thread still was when it published a local time (`horizon`): sections that
/// whoever knows that time knows to have begun, and not to have ended. Rule (b) is about them, and up to the first of
/// them all accesses can be told to be in sections that are known.
///
/// Memory: sections and table entries are numbered and stored in the order of their making, per thread. `collect` keeps
/// the recent ones of each thread, whether or not they matter, so that nearly every question finds its answer without a
/// search. Of the others it keeps what can still be asked for:
/// - rule (a): sections that some variable's epoch, an open section or ancillary metadata names;
/// - rule (b): horizons of clocks that can still flow into a thread's clock. Such a clock D may be the clock of a
///   section that is kept. Through a section S at D's horizon, a thread that has joined D joins S's clock too, so S is
///   kept, with its horizons in turn; but only those of threads of which S's clock knows more than D. All else
///   the thread knows from D.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/clocks/vector_clock.hpp"
#include "analysis/levels/lock_set.hpp"
#include "analysis/levels/numbered_store.hpp"
#include "analysis/relations/section_mode.hpp"
#include "analysis/tuning.hpp"
#include "trace/error.hpp"

namespace omen {

/// The number of a section among its thread's, from 1; as a list: that section and those around it.
using SectionNumber = std::uint32_t;
inline constexpr SectionNumber kNoSection = 0;

struct Section {
  static constexpr Time kOpen = std::numeric_limits<Time>::max();

  Time released = kOpen;  ///< local time of its thread; `kOpen` is later than any clock
  Time acquired = 0;
  Time outermost_acquired = 0;  ///< when the outermost section of the list was acquired
  LockId lock{};
  SectionNumber outer = kNoSection;
  /// Itself; or, if a lock around this one was released first, the section that this entry repeats without that lock
  /// around it.
  SectionNumber original = kNoSection;
  std::uint32_t clock = 0;  ///< once released: the number of its release clock
  SectionMode mode{};
  bool marked = false;        ///< used within `collect` only, as is the next
  std::uint16_t reached = 0;  ///< through this section, more may come to be known of these threads: a bit for each
  LockSet locks{};            ///< of the list: this section's and those around it
};

class SectionTable {
 public:
  explicit SectionTable(const Tuning& tuning) : tuning_(tuning), next_collection_(tuning.first_collection) {}

  void ensure_thread(ThreadId t) {
    if (index(t) >= threads_.size()) [[unlikely]]
      grow(t);
  }

  /// The sections that t is in now.
  SectionNumber current(ThreadId t) const { return threads_[index(t)].current; }
  std::size_t depth(ThreadId t) const { return depths_[index(t)]; }

  [[gnu::always_inline]] const Section& section(ThreadId t, SectionNumber number) const {
    return threads_[index(t)].sections.at(number);
  }
  /// The release clock of a section that has ended.
  const VectorClock& release_clock(ThreadId t, const Section& section) const {
    return threads_[index(t)].clocks.at(section.clock);
  }

  /// t acquires m at its local time `now`.
  void open(ThreadId t, LockId m, SectionMode mode, Time now) {
    ensure_thread(t);
    Thread& thread = threads_[index(t)];
    catch_up(thread, now);
    ++depths_[index(t)];
    push(thread, now, m, mode, kNoSection);
    has_shared_ |= mode == SectionMode::Shared;
  }

  void close(ThreadId t, LockId m, Time released, const VectorClock& release) {
    Thread& thread = threads_[index(t)];
    catch_up(thread, released);
    SectionNumber entry = thread.current;
    while (entry != kNoSection && thread.sections.at(entry).lock != m) entry = thread.sections.at(entry).outer;
    OMEN_CHECK(entry != kNoSection);
    --depths_[index(t)];
    Section& ended = thread.sections.at(thread.sections.at(entry).original);
    ended.released = released;
    ended.clock = thread.clocks.end();
    thread.clocks.push() = release;
    thread.current = entry == thread.current ? thread.sections.at(entry).outer : without(thread, thread.current, entry);
  }

  /// The sections that a thread was in at an epoch that some variable still has.
  [[gnu::always_inline]] SectionNumber at(Epoch e) const {
    if (e.is_none()) return kNoSection;
    return list_at(threads_[index(e.thread)], e.time);
  }

  /// Where the knowledge of somebody who knows u up to a local time that u has published ends: in which sections.
  struct Horizon {
    SectionNumber list = kNoSection;  ///< known to have begun, not known to have ended
    Time quiet = 0;   ///< every section in which u was at a local time up to this one is known to have ended
    LockSet locks{};  ///< of the list
  };
  /// A local time is published by a release or by hard order, and is over then: the next one says where u still was.
  /// If that is not kept, the answer is the one without any promise: kept are all for which there is one to rule (b).
  Horizon horizon(ThreadId u, Time known) const {
    if (index(u) >= threads_.size()) return {};
    const Thread& thread = threads_[index(u)];
    SectionNumber list = thread.current;
    if (known + 1 < thread.lists.end()) {
      const Moment* moment = thread.lists.find(known + 1);
      if (moment == nullptr) return {};
      list = moment->list;
    }
    if (list == kNoSection) return {.quiet = known};
    const Section& head = thread.sections.at(list);
    return {list, head.outermost_acquired, head.locks};
  }

  /// Were there shared sections, ever?
  bool has_shared() const { return has_shared_; }

  bool wants_collection() const { return live_ >= next_collection_; }
  std::size_t live_sections() const { return live_; }

  /// `for_each_epoch(visit)` names the epochs still remembered by variables, `for_each_section(visit)` the sections
  /// (thread, number) that ancillary metadata refers to, `for_each_clock(visit)` the clocks outside the table that can
  /// flow into the clock by which rule (b) is judged (none: there is no rule (b)). `variables`: how many there are; a
  /// collection visits all, so it waits for as many sections.
  template <bool kRuleB, class ForEachEpoch, class ForEachSection, class ForEachClock>
  void collect(std::size_t variables, ForEachEpoch for_each_epoch, ForEachSection for_each_section,
               ForEachClock for_each_clock) {
    for (Thread& thread : threads_) thread.choose_recent(tuning_.recent(threads_.size()));
    std::vector<std::pair<ThreadId, SectionNumber>> ended;  // of rule (a)
    const auto mark_for_a = [&](ThreadId t, SectionNumber list) {
      mark(threads_[index(t)], list, [&](SectionNumber number, const Section& section) {
        if (kRuleB && section.clock != 0) ended.emplace_back(t, number);
      });
    };
    for_each_epoch([&](Epoch e) {
      if (index(e.thread) >= threads_.size()) return;
      Thread& thread = threads_[index(e.thread)];
      if (e.time >= thread.recent_lists) return;
      if (Moment* moment = thread.lists.find(e.time); moment != nullptr && moment->list != kNoSection) {
        moment->marked = true;
        mark_for_a(e.thread, moment->list);
      }
    });
    for_each_section(mark_for_a);
    for (std::size_t t = 0; t < threads_.size(); ++t) {
      const ThreadId id{static_cast<std::uint32_t>(t)};
      mark_for_a(id, threads_[t].current);
      threads_[t].lists.for_each_from(threads_[t].recent_lists,
                                      [&](const Moment& moment) { mark_for_a(id, moment.list); });
      threads_[t].sections.for_each_from(threads_[t].recent_sections, [&](const Section& section) {
        mark_for_a(id, section.outer);
        if (section.original < threads_[t].recent_sections) mark_for_a(id, section.original);
      });
    }
    if constexpr (kRuleB) {
      Horizons horizons(*this);
      for_each_clock([&](const VectorClock& clock) { horizons.mark(clock); });
      for (const Thread& thread : threads_) {
        thread.clocks.for_each_from(thread.recent_clocks, [&](const VectorClock& clock) { horizons.mark(clock); });
      }
      for (const auto& [t, number] : ended) horizons.mark(release_clock(t, section(t, number)));
      horizons.mark_what_follows();
    }
    live_ = 0;
    for (Thread& thread : threads_) {
      sweep(thread);
      live_ += thread.sections.size();
    }
    next_collection_ = tuning_.next_collection(live_, variables);
  }

 private:
  /// What a thread's sections were at one local time.
  struct Moment {
    SectionNumber list = kNoSection;
    bool marked = false;
  };
  struct alignas(64) Thread {  // a multiple of the cache line, and cheap to index
    SectionNumber current = kNoSection;
    NumberedStore<Section> sections{1};
    NumberedStore<VectorClock> clocks{1};  ///< of ended sections; apart, since most checks need no clock
    NumberedStore<Moment> lists{0};        ///< by local time; all times before the thread's last acquire or release

    // Used within `collect` only: from where on everything is kept.
    SectionNumber recent_sections = 0;
    std::uint32_t recent_clocks = 0;
    Time recent_lists = 0;

    void choose_recent(std::uint32_t count) {
      const auto last = [](const auto& store, std::uint32_t n) {
        return store.end() - std::min(n, store.end() - store.first_recent());
      };
      recent_sections = last(sections, count);
      recent_clocks = last(clocks, count);
      recent_lists = last(lists, 2 * count);
    }
  };

  void grow(ThreadId t) {
    threads_.resize(index(t) + 1);
    depths_.resize(index(t) + 1);
  }

  [[gnu::always_inline]] static SectionNumber list_at(const Thread& thread, Time time) {
    if (time >= thread.lists.end()) return thread.current;
    const Moment* moment = thread.lists.find(time);
    return moment == nullptr ? kNoSection : moment->list;
  }

  /// The thread's sections are about to change: what they were up to `now` goes on record.
  static void catch_up(Thread& thread, Time now) {
    while (thread.lists.end() <= now) thread.lists.push() = {thread.current, false};
  }

  /// A new entry within the current ones. It is written in its place, field by field: a copy would wait for its parts.
  void push(Thread& thread, Time acquired, LockId m, SectionMode mode, SectionNumber original) {
    const SectionNumber number = thread.sections.end();
    Section& section = thread.sections.push();
    section.released = Section::kOpen;
    section.acquired = acquired;
    section.lock = m;
    section.outer = thread.current;
    section.original = original == kNoSection ? number : original;
    section.clock = 0;
    section.mode = mode;
    section.marked = false;
    section.reached = 0;
    if (thread.current == kNoSection) {
      section.outermost_acquired = acquired;
      section.locks = LockSet(m);
    } else {
      const Section& outer = thread.sections.at(thread.current);
      section.outermost_acquired = outer.outermost_acquired;
      section.locks = outer.locks | LockSet(m);
    }
    thread.current = number;
    ++live_;
  }

  /// The list without one of its entries. Releases in the order of the nesting, the common case, share the whole rest;
  /// otherwise the sections inside the ended one are repeated without it.
  [[gnu::noinline]] SectionNumber without(Thread& thread, SectionNumber list, SectionNumber entry) {
    const Section head = thread.sections.at(list);
    if (list == entry) return head.outer;
    thread.current = without(thread, head.outer, entry);
    push(thread, head.acquired, head.lock, head.mode, head.original);
    return thread.current;
  }

  /// Marks the entries of a list that are not recent, and calls `on_new(number, section)` for each that was not marked.
  /// What is around a recent entry, `collect` marks itself.
  template <class OnNew>
  static void mark(Thread& thread, SectionNumber list, const OnNew& on_new) {
    while (list != kNoSection && list < thread.recent_sections) {
      Section& section = thread.sections.at(list);
      if (section.marked) return;
      section.marked = true;
      on_new(list, section);
      if (section.original != list) mark(thread, section.original, on_new);
      list = section.outer;
    }
  }

  /// Marks what rule (b) can still ask for.
  class Horizons {
   public:
    explicit Horizons(SectionTable& table) : table_(table) {
      for (std::size_t u = 0; u < table.threads_.size(); ++u) {
        const Time recent = table.threads_[u].recent_lists;
        recent_.set(ThreadId{static_cast<std::uint32_t>(u)}, recent == 0 ? 0 : recent - 1);
      }
    }

    void mark(const VectorClock& clock) {
      if (clock.covers(recent_)) return;
      const std::span<const Time> times = clock.lanes();
      for (std::size_t u = 0; u < std::min(times.size(), table_.threads_.size()); ++u) {
        mark(ThreadId{static_cast<std::uint32_t>(u)}, times[u], clock);
      }
    }

    /// The horizons that come to be reached through sections of rule (b).
    void mark_what_follows() {
      for (std::size_t i = 0; i < reached_.size(); ++i) {
        const auto [t, number, u] = reached_[i];
        const VectorClock& clock = table_.release_clock(t, table_.section(t, number));
        mark(u, clock[u], clock);
      }
      for (const Reached& step : reached_) table_.threads_[index(step.thread)].sections.at(step.number).reached = 0;
    }

   private:
    /// Somebody may come to know u up to `known`, and then knows all of `clock`.
    void mark(ThreadId u, Time known, const VectorClock& clock) {
      Thread& thread = table_.threads_[index(u)];
      if (known == 0 || known + 1 >= thread.recent_lists) return;
      Moment* moment = thread.lists.find(known + 1);
      if (moment == nullptr || moment->list == kNoSection) return;
      moment->marked = true;
      SectionTable::mark(thread, moment->list, [](SectionNumber, const Section&) {});
      for (SectionNumber list = moment->list; list != kNoSection; list = thread.sections.at(list).outer) {
        const SectionNumber original = thread.sections.at(list).original;
        Section& section = thread.sections.at(original);
        if (section.clock == 0) continue;
        const VectorClock& release = thread.clocks.at(section.clock);
        if (!clock.covers(release)) reach({u, original}, section, release, clock);
      }
    }

    struct SectionName {
      ThreadId thread;
      SectionNumber number;
    };
    void reach(SectionName name, Section& section, const VectorClock& release, const VectorClock& known) {
      for (std::size_t i = 0; i < std::min(release.size(), table_.threads_.size()); ++i) {
        const ThreadId u{static_cast<std::uint32_t>(i)};
        if (release[u] > known[u] && is_new(name, section, u)) reached_.push_back({name.thread, name.number, u});
      }
    }

    bool is_new(SectionName name, Section& section, ThreadId u) {
      if (index(u) >= 16) return others_.emplace(index(name.thread), name.number, index(u)).second;
      const auto bit = static_cast<std::uint16_t>(1U << index(u));
      const bool is = (section.reached & bit) == 0;
      section.reached |= bit;
      return is;
    }

    struct Reached {
      ThreadId thread;
      SectionNumber number;
      ThreadId of;  ///< by the section's clock, this one is known further than before
    };
    SectionTable& table_;
    VectorClock recent_;  ///< who knows this much of a thread is at a horizon that is kept anyway
    std::vector<Reached> reached_;
    std::set<std::tuple<std::size_t, SectionNumber, std::size_t>> others_;  ///< as `Section::reached`, for more threads
  };

  static void sweep(Thread& thread) {
    const auto kept = [](auto& item) { return std::exchange(item.marked, false); };
    const std::vector<SectionNumber> sections = thread.sections.numbers_of(thread.recent_sections, kept);
    std::vector<std::uint32_t> clocks;
    const auto keep_clock = [&](const Section& section) {
      if (section.clock != 0 && section.clock < thread.recent_clocks) clocks.push_back(section.clock);
    };
    for (const SectionNumber number : sections) keep_clock(thread.sections.at(number));
    thread.sections.for_each_from(thread.recent_sections, keep_clock);
    std::ranges::sort(clocks);
    thread.clocks.keep_only(clocks, thread.recent_clocks);
    thread.sections.keep_only(sections, thread.recent_sections);
    thread.lists.keep_only(thread.lists.numbers_of(thread.recent_lists, kept), thread.recent_lists);
  }

  Tuning tuning_;
  std::vector<Thread> threads_;
  std::vector<std::uint32_t> depths_;  ///< by thread: of the current list
  std::size_t live_ = 0;               ///< section entries of all threads
  std::size_t next_collection_;
  bool has_shared_ = false;
};

}  // namespace omen
