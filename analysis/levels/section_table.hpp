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
/// Memory: sections and table entries are numbered and stored in the order of their making, per thread. What can no
/// longer be asked for is dropped by `SectionCollector`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "analysis/clocks/release_clock.hpp"
#include "analysis/clocks/vector_clock.hpp"
#include "analysis/levels/lock_set.hpp"
#include "analysis/levels/numbered_store.hpp"
#include "analysis/memory.hpp"
#include "analysis/relations/section_mode.hpp"
#include "analysis/tuning.hpp"
#include "trace/check.hpp"

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
  std::uint32_t clock = 0;              ///< once released: the number of its release clock, which it may share
  SectionNumber previous = kNoSection;  ///< the thread's last one before on this lock, or on one of the same hash
  SectionMode mode{};
  bool marked = false;        ///< used within a collection only, as is the next
  std::uint16_t reached = 0;  ///< through this section, more may come to be known of these threads: a bit for each
  LockSet locks;              ///< of the list: this section's and those around it
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
  ReleaseClock release_clock(ThreadId t, const Section& section) const {
    return {threads_[index(t)].clocks.at(section.clock), {section.released, t}};
  }

  /// t, which exists, acquires m at its local time `now`.
  [[gnu::always_inline]] void open(ThreadId t, LockId m, SectionMode mode, Time now) {
    Thread& thread = threads_[index(t)];
    catch_up(thread, now);
    ++depths_[index(t)];
    if (thread.latest.empty()) [[unlikely]]
      thread.latest.resize(kPlaces);
    SectionNumber& latest = thread.latest[place_of(m)];
    const SectionNumber previous = std::exchange(latest, thread.sections.end());
    push(thread, now, m, mode, kNoSection);
    thread.sections.at(thread.current).previous = previous;
    has_shared_ |= mode == SectionMode::Shared;
  }

  /// t releases m, with this clock. `learned`: since its last release it has learned of other threads.
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

  /// Is it no longer known in which sections the thread was? Only after `SectionCollector::collect_forgetting`.
  bool forgotten(Epoch e) const {
    const Thread& thread = threads_[index(e.thread)];
    return e.time < thread.floor && thread.lists.find(e.time) == nullptr;
  }
  /// The clock of a release that came after all sections of the thread that are forgotten.
  const VectorClock& floor(ThreadId t) const { return threads_[index(t)].floor_clock; }

  /// Calls `visit(section)` for the sections on m that t began before a local time, the latest first, until it returns
  /// true. False: it did not, and earlier sections of the thread may be forgotten.
  template <class Visit>
  bool visit_on(ThreadId t, LockId m, Time until, Visit visit) const {
    const Thread& thread = threads_[index(t)];
    if (thread.latest.empty()) return true;
    for (SectionNumber number = thread.latest[place_of(m)]; number != kNoSection;) {
      const Section* const section = thread.sections.find(number);
      if (section == nullptr) return false;
      if (section->lock == m && section->acquired < until && visit(*section)) return true;
      number = section->previous;
    }
    return true;
  }

  /// Where the knowledge of somebody who knows u up to a local time that u has published ends: in which sections.
  struct Horizon {
    SectionNumber list = kNoSection;  ///< known to have begun, not known to have ended
    Time quiet = 0;  ///< every section in which u was at a local time up to this one is known to have ended
    Time heard = 0;  ///< and up to this one, every section that is not in the list
    LockSet locks;   ///< of the list
  };
  /// A local time is published by a release or by hard order, and is over then: the next one says where u still was.
  /// If that is not kept, the answer is the one without any promise: kept are all for which there is one to rule (b).
  Horizon horizon(ThreadId u, Time known) const {
    if (index(u) >= threads_.size()) return {};
    const Thread& thread = threads_[index(u)];
    SectionNumber list = thread.current;
    if (known + 1 < thread.lists.end()) {
      const SectionNumber* kept = thread.lists.find(known + 1);
      if (kept == nullptr) return {};
      list = *kept;
    }
    if (list == kNoSection) return {.quiet = known, .heard = known, .locks = {}};
    const Section& head = thread.sections.at(list);
    return {list, head.outermost_acquired, known, head.locks};
  }

  /// u was in no section at local times after `from` up to this one, which is `limit` at the most. A lower bound: it
  /// does not look far. At `from` itself no section is open that matters (`Horizon::quiet`).
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

  /// Were there shared sections, ever?
  bool has_shared() const { return has_shared_; }

  bool wants_collection() const { return live_ >= next_collection_; }
  std::size_t live_sections() const { return live_; }

 private:
  friend class SectionCollector;

  struct alignas(64) Thread {  // a multiple of the cache line, and cheap to index
    SectionNumber current = kNoSection;
    NumberedStore<Section> sections{1};
    NumberedStore<VectorClock> clocks{1};   ///< of releases; apart, since most checks need no clock
    NumberedStore<SectionNumber> lists{0};  ///< by local time; all times before the thread's last acquire or release
    Time floor = 0;                         ///< of times before this one, lists may be forgotten
    VectorClock floor_clock;
    Vector<SectionNumber> latest;  ///< by `place_of` a lock: the thread's last section on such a one
  };
  static constexpr std::size_t kPlaces = 1024;
  static std::size_t place_of(LockId m) { return index(m) % kPlaces; }

  void grow(ThreadId t) {
    threads_.resize(index(t) + 1);
    depths_.resize(index(t) + 1);
  }

  [[gnu::always_inline]] static SectionNumber list_at(const Thread& thread, Time time) {
    if (time >= thread.lists.end()) return thread.current;
    const SectionNumber* list = thread.lists.find(time);
    return list == nullptr ? kNoSection : *list;
  }

  /// The thread's sections are about to change: what they were up to `now` goes on record.
  static void catch_up(Thread& thread, Time now) {
    while (thread.lists.end() <= now) thread.lists.push() = thread.current;
  }

  /// The number under which the clock is kept: the last one's, if the thread has learned nothing since
  /// (`ReleaseClock`) and that one is kept.
  [[gnu::always_inline]] static std::uint32_t keep(Thread& thread, const VectorClock& release, bool learned) {
    const std::uint32_t last = thread.clocks.end() - 1;
    if (!learned && thread.clocks.find(last) != nullptr) return last;
    thread.clocks.push() = release;
    return last + 1;
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

  /// Takes the innermost section on m out of the current list, from wherever it is in it.
  [[gnu::noinline]] Section& take_out(Thread& thread, LockId m) {
    SectionNumber entry = thread.current;
    while (entry != kNoSection && thread.sections.at(entry).lock != m) entry = thread.sections.at(entry).outer;
    OMEN_CHECK(entry != kNoSection);
    const SectionNumber original = thread.sections.at(entry).original;
    thread.current = without(thread, thread.current, entry);
    return thread.sections.at(original);
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

  Tuning tuning_;
  Vector<Thread> threads_;
  Vector<std::uint32_t> depths_;  ///< by thread: of the current list
  std::size_t live_ = 0;          ///< section entries of all threads
  std::size_t next_collection_;
  bool has_shared_ = false;
};

}  // namespace omen
