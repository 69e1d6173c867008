/// \file
/// Which critical sections a thread was in, found from an epoch. SmartTrack's critical-section lists (§4.2: H_t, L^r_x,
/// L^w_x) without their per-variable storage.
///
/// The local time advances at every acquire and release, so an epoch c@t *determines* the list that t held at c. One
/// table per thread, from local time to list, replaces a list per variable: a variable has FastTrack's two words and no
/// more. A section refers to the one around it, so a list is named by its innermost section and lists share their
/// tails.
///
/// Most questions are "does t know all sections of c@u?", and most answers are yes. One look suffices for them: the
/// table also says, for each local time k of u, how far back u was out of all sections (`quiet`). If t knows u up to k,
/// it knows all sections of every c ≤ quiet(k).
///
/// Memory: sections and table entries are numbered and stored in the order of their making, per thread, so the recent
/// ones are dense and found by subtraction. `collect` keeps what some variable's epoch, an open section or ancillary
/// metadata still names, apart, by number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "analysis/clocks/vector_clock.hpp"
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
  bool marked = false;
};

class SectionTable {
 public:
  explicit SectionTable(const Tuning& tuning) : tuning_(tuning), next_collection_(tuning.first_collection) {}

  void ensure_thread(ThreadId t) {
    if (index(t) >= threads_.size()) [[unlikely]]
      threads_.resize(index(t) + 1);
  }

  /// The sections that t is in now.
  SectionNumber current(ThreadId t) const { return threads_[index(t)].current; }
  std::size_t depth(ThreadId t) const { return threads_[index(t)].depth; }

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
    ++thread.depth;
    push(thread, {.acquired = now, .outermost_acquired = now, .lock = m, .original = kNoSection, .mode = mode});
  }

  void close(ThreadId t, LockId m, Time released, const VectorClock& release) {
    Thread& thread = threads_[index(t)];
    catch_up(thread, released);
    SectionNumber entry = thread.current;
    while (entry != kNoSection && thread.sections.at(entry).lock != m) entry = thread.sections.at(entry).outer;
    OMEN_CHECK(entry != kNoSection);
    --thread.depth;
    Section& ended = thread.sections.at(thread.sections.at(entry).original);
    ended.released = released;
    ended.clock = thread.clocks.end();
    thread.clocks.push(release);
    thread.current = entry == thread.current ? thread.sections.at(entry).outer : without(thread, thread.current, entry);
  }

  /// The sections that a thread was in at an epoch that some variable still has.
  [[gnu::always_inline]] SectionNumber at(Epoch e) const {
    if (e.is_none()) return kNoSection;
    const Thread& thread = threads_[index(e.thread)];
    return e.time >= thread.lists.end() ? thread.current : thread.lists.find(e.time, {}).list;
  }

  /// Every section in which u, a thread that has accessed something, was at a local time up to this one had ended when
  /// u reached local time `known`.
  [[gnu::always_inline]] Time quiet(ThreadId u, Time known) const {
    const Thread& thread = threads_[index(u)];
    return known >= thread.lists.end() ? quiet_now(thread, known) : thread.lists.find(known, {}).quiet;
  }

  bool wants_collection() const { return live_ >= next_collection_; }
  std::size_t live_sections() const { return live_; }

  /// `for_each_epoch(visit)` names the epochs still remembered by variables, `for_each_section(visit)` the sections
  /// (thread, number) that ancillary metadata refers to. `variables`: how many there are; a collection visits all, so
  /// it waits for as many sections.
  template <class ForEachEpoch, class ForEachSection>
  void collect(std::size_t variables, ForEachEpoch for_each_epoch, ForEachSection for_each_section) {
    for_each_epoch([&](Epoch e) {
      if (index(e.thread) >= threads_.size()) return;
      Thread& thread = threads_[index(e.thread)];
      if (e.time >= thread.lists.end()) return;
      if (Moment* moment = thread.lists.find(e.time); moment != nullptr && moment->list != kNoSection) {
        moment->marked = true;
        mark(thread, moment->list);
      }
    });
    for_each_section([&](ThreadId t, SectionNumber number) { mark(threads_[index(t)], number); });
    live_ = 0;
    for (Thread& thread : threads_) {
      mark(thread, thread.current);
      sweep(thread);
      live_ += thread.sections.size();
    }
    next_collection_ = tuning_.next_collection(live_, variables);
  }

  template <class Visit>
  void for_each_clock(Visit visit) const {
    for (const Thread& thread : threads_) thread.clocks.for_each(visit);
  }

 private:
  /// What a thread's sections were at one local time.
  struct Moment {
    SectionNumber list = kNoSection;
    Time quiet = 0;
    bool marked = false;
  };
  struct alignas(64) Thread {  // a multiple of the cache line, and cheap to index
    SectionNumber current = kNoSection;
    std::uint32_t depth = 0;  ///< of the current list
    NumberedStore<Section> sections{1};
    NumberedStore<VectorClock> clocks{1};  ///< of ended sections; apart, since most checks need no clock
    NumberedStore<Moment> lists{0};        ///< by local time; all times before the thread's last acquire or release
  };

  static Time quiet_now(const Thread& thread, Time now) {
    return thread.current == kNoSection ? now : thread.sections.at(thread.current).outermost_acquired;
  }

  /// The thread's sections are about to change: what they were up to `now` goes on record.
  static void catch_up(Thread& thread, Time now) {
    for (Time time = thread.lists.end(); time <= now; ++time) {
      thread.lists.push({.list = thread.current, .quiet = quiet_now(thread, time)});
    }
  }

  void push(Thread& thread, Section section) {
    const SectionNumber number = thread.sections.end();
    if (section.original == kNoSection) section.original = number;
    section.outer = thread.current;
    if (thread.current != kNoSection)
      section.outermost_acquired = thread.sections.at(thread.current).outermost_acquired;
    thread.sections.push(section);
    thread.current = number;
    ++live_;
  }

  /// The list without one of its entries. Releases in the order of the nesting, the common case, share the whole rest;
  /// otherwise the sections inside the ended one are repeated without it.
  SectionNumber without(Thread& thread, SectionNumber list, SectionNumber entry) {
    const Section head = thread.sections.at(list);
    if (list == entry) return head.outer;
    thread.current = without(thread, head.outer, entry);
    push(thread, {.acquired = head.acquired,
                  .outermost_acquired = head.acquired,
                  .lock = head.lock,
                  .original = head.original,
                  .mode = head.mode});
    return thread.current;
  }

  static void mark(Thread& thread, SectionNumber list) {
    while (list != kNoSection) {
      Section& section = thread.sections.at(list);
      if (section.marked) return;
      section.marked = true;
      if (section.original != list) mark(thread, section.original);
      list = section.outer;
    }
  }

  static void sweep(Thread& thread) {
    const auto kept = [](auto& item) { return std::exchange(item.marked, false); };
    const std::vector<SectionNumber> sections = thread.sections.numbers_of(kept);
    std::vector<std::uint32_t> clocks;
    for (const SectionNumber number : sections) {
      if (const std::uint32_t clock = thread.sections.at(number).clock; clock != 0) clocks.push_back(clock);
    }
    std::ranges::sort(clocks);
    thread.sections.keep_only(sections);
    thread.clocks.keep_only(clocks);
    thread.lists.keep_only(thread.lists.numbers_of(kept));
  }

  Tuning tuning_;
  std::vector<Thread> threads_;
  std::size_t live_ = 0;  ///< section entries of all threads
  std::size_t next_collection_;
};

}  // namespace omen
