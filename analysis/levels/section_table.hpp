/// \file
/// Which critical sections a thread was in, found from an epoch. SmartTrack's critical-section lists (§4.2: H_t, L^r_x,
/// L^w_x) without their per-variable storage.
///
/// The local time advances at every acquire and release, so an epoch c@t *determines* the list that t held at c. One
/// table per thread, from local time to list, replaces a list per variable: a variable has only FastTrack's two words.
/// A section refers to the one around it, so a list is identified by its innermost section, and lists share their
/// tails.
///
/// The table also has the sections that a thread was still in when it published a local time (`horizon`): a thread that
/// knows that time knows that these sections have begun, but not that they have ended. Rule (b) is about them. The
/// sections of all accesses before the first of them are known.
///
/// Memory: sections and table entries are numbered and stored in the order of their creation, per thread.
/// `SectionCollector` drops entries that no query can reach.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "analysis/clocks/release_clock.hpp"
#include "analysis/clocks/vector_clock.hpp"
#include "analysis/levels/lock_set.hpp"
#include "analysis/levels/numbered_store.hpp"
#include "analysis/memory.hpp"
#include "analysis/relations/section_mode.hpp"
#include "analysis/tuning.hpp"
#include "trace/check.hpp"

namespace omen {

/// The number of a section among its thread's, from 1. As a list: that section and those around it.
using SectionNumber = std::uint32_t;
inline constexpr SectionNumber kNoSection = 0;

struct Section {
  static constexpr Time kOpen = std::numeric_limits<Time>::max();

  Time released = kOpen;  ///< local time of its thread; `kOpen` is later than any clock
  Time acquired = 0;
  Time outermost_acquired = 0;  ///< when the outermost section of the list was acquired
  LockId lock{};
  SectionNumber outer = kNoSection;
  /// The section itself. Or, if a lock around this one was released first, the section that this entry repeats without
  /// that lock around it.
  SectionNumber original = kNoSection;
  std::uint32_t clock = 0;  ///< once released: the number of its release clock, which sections may share
  SectionMode mode{};
  bool marked = false;        ///< used only within a collection; so is the next
  std::uint16_t reached = 0;  ///< threads of which more can become known through this section: a bit for each
  LockSet locks;              ///< the locks of the list: this section's and those around it
};

class SectionTable {
 public:
  explicit SectionTable(const Tuning& tuning) : tuning_(tuning), next_collection_(tuning.first_collection) {}

  void ensure_thread(ThreadId t) {
    if (index(t) >= threads_.size()) [[unlikely]]
      grow(t);
  }

  /// The sections that t is currently in.
  SectionNumber current(ThreadId t) const { return threads_[index(t)].current; }
  std::size_t depth(ThreadId t) const { return depths_[index(t)]; }

  [[gnu::always_inline]] const Section& section(ThreadId t, SectionNumber number) const {
    return threads_[index(t)].sections.at(number);
  }
  /// The release clock of a section that has ended.
  ReleaseClock release_clock(ThreadId t, const Section& section) const {
    return {threads_[index(t)].clocks.at(section.clock), {section.released, t}};
  }

  /// t, which must exist, acquires m at its local time `now`.
  [[gnu::always_inline]] void open(ThreadId t, LockId m, SectionMode mode, Time now) {
    Thread& thread = threads_[index(t)];
    catch_up(thread, now);
    ++depths_[index(t)];
    push(thread, now, m, mode, kNoSection);
    has_shared_ |= mode == SectionMode::Shared;
  }

  /// t releases m, with this clock. `learned`: it has learned of other threads since its last release.
  void close(ThreadId t, LockId m, Time released, const VectorClock& release, bool learned) {
    Thread& thread = threads_[index(t)];
    catch_up(thread, released);
    --depths_[index(t)];
    Section& innermost = thread.sections.at(thread.current);
    Section* ended = &innermost;
    if (innermost.lock == m && innermost.original == thread.current) [[likely]] {
      thread.current = innermost.outer;
    } else {
      ended = &take_out(thread, m);
    }
    ended->released = released;
    ended->clock = keep(thread, release, learned);
  }

  /// The sections that a thread was in at an epoch that some variable still has.
  [[gnu::always_inline]] SectionNumber at(Epoch e) const {
    if (e.is_none()) return kNoSection;
    return list_at(threads_[index(e.thread)], e.time);
  }

  /// Where the knowledge of a thread ends that knows u up to a local time that u has published: the sections of u at
  /// that point.
  struct Horizon {
    SectionNumber list = kNoSection;  ///< known to have begun, not known to have ended
    Time quiet = 0;  ///< all sections in which u was at a local time up to this one are known to have ended
    LockSet locks;   ///< the locks of the list
  };
  /// A local time ends when it is published, by a release or by hard order: the next time has the sections that u was
  /// still in. If that entry was dropped, the answer is the empty horizon: the collector keeps all entries that matter
  /// to rule (b).
  Horizon horizon(ThreadId u, Time known) const {
    if (index(u) >= threads_.size()) return {};
    const Thread& thread = threads_[index(u)];
    SectionNumber list = thread.current;
    if (known + 1 < thread.lists.end()) {
      const SectionNumber* kept = thread.lists.find(known + 1);
      if (kept == nullptr) return {};
      list = *kept;
    }
    if (list == kNoSection) return {.quiet = known, .locks = {}};
    const Section& head = thread.sections.at(list);
    return {list, head.outermost_acquired, head.locks};
  }

  /// A local time, `limit` at most, such that u was in no section after `from` up to it. A lower bound: the search is
  /// short. At `from` itself no section that matters is open (`Horizon::quiet`).
  Time free_until(ThreadId u, Time from, Time limit) const {
    if (index(u) >= threads_.size() || limit <= from) return from;
    const Thread& thread = threads_[index(u)];
    constexpr Time kSoon = 16;
    for (Time time = from + 1; time < thread.lists.end(); ++time) {
      if (time > limit) return limit;
      const SectionNumber* const list = thread.lists.find(time);
      if (list == nullptr || *list != kNoSection || time == from + kSoon) return time - 1;
    }
    return thread.current == kNoSection ? limit : std::max(from, std::min(limit, thread.lists.end() - 1));
  }

  /// True if there has been a shared section.
  bool has_shared() const { return has_shared_; }

  bool wants_collection() const { return live_ >= next_collection_; }
  std::size_t live_sections() const { return live_; }

 private:
  friend class SectionCollector;

  struct alignas(64) Thread {  // a multiple of the cache line, and cheap to index
    SectionNumber current = kNoSection;
    NumberedStore<Section> sections{1};
    NumberedStore<VectorClock> clocks{1};   ///< of releases; stored separately, since most checks need no clock
    NumberedStore<SectionNumber> lists{0};  ///< by local time; all times before the thread's last acquire or release
  };

  void grow(ThreadId t) {
    threads_.resize(index(t) + 1);
    depths_.resize(index(t) + 1);
  }

  [[gnu::always_inline]] static SectionNumber list_at(const Thread& thread, Time time) {
    if (time >= thread.lists.end()) return thread.current;
    const SectionNumber* list = thread.lists.find(time);
    return list == nullptr ? kNoSection : *list;
  }

  /// Called before the thread's sections change: stores the current list for all times up to `now`.
  static void catch_up(Thread& thread, Time now) {
    while (thread.lists.end() <= now) thread.lists.push() = thread.current;
  }

  /// Stores the clock and returns its number. Reuses the last one if the thread has learned nothing since
  /// (`ReleaseClock`) and that one is still kept.
  [[gnu::always_inline]] static std::uint32_t keep(Thread& thread, const VectorClock& release, bool learned) {
    const std::uint32_t last = thread.clocks.end() - 1;
    if (!learned && thread.clocks.find(last) != nullptr) return last;
    thread.clocks.push() = release;
    return last + 1;
  }

  /// Adds an entry inside the current ones. It is written in place, field by field, because a copy would stall on store
  /// forwarding.
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
    section.outermost_acquired = acquired;
    section.locks = LockSet(m);
    if (thread.current != kNoSection) {
      const Section& outer = thread.sections.at(thread.current);
      section.outermost_acquired = outer.outermost_acquired;
      section.locks = section.locks | outer.locks;
    }
    thread.current = number;
    ++live_;
  }

  /// Removes the innermost section on m from the current list, at any position.
  [[gnu::noinline]] Section& take_out(Thread& thread, LockId m) {
    SectionNumber entry = thread.current;
    while (entry != kNoSection && thread.sections.at(entry).lock != m) entry = thread.sections.at(entry).outer;
    OMEN_CHECK(entry != kNoSection);
    const SectionNumber original = thread.sections.at(entry).original;
    thread.current = without(thread, thread.current, entry);
    return thread.sections.at(original);
  }

  /// The list without one of its entries. Releases in the order of the nesting, the common case, share the whole rest.
  /// Otherwise the sections inside the ended one are repeated without it.
  [[gnu::noinline]] SectionNumber without(Thread& thread, SectionNumber list, SectionNumber entry) {
    const Section head = thread.sections.at(list);
    if (list == entry) return head.outer;
    thread.current = without(thread, head.outer, entry);
    push(thread, head.acquired, head.lock, head.mode, head.original);
    return thread.current;
  }

  Tuning tuning_;
  Vector<Thread> threads_;
  Vector<std::uint32_t> depths_;  ///< by thread: the depth of the current list
  std::size_t live_ = 0;          ///< section entries of all threads
  std::size_t next_collection_;
  bool has_shared_ = false;
};

}  // namespace omen
