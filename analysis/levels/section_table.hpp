/// \file
/// Which critical sections a thread was in, found from an epoch. SmartTrack's critical-section lists (§4.2: H_t, L^r_x, L^w_x)
/// without their per-variable storage.
///
/// The local time advances at every acquire and release, so an epoch c@t *determines* the list that t held at c. One table per
/// thread, from local time to list, replaces a list per variable: a variable has FastTrack's two words and no more.
/// Lists share their tails: an acquire puts one node before the list so far.
///
/// Memory: `collect` keeps what some variable's epoch, an open section or ancillary metadata still names.
#pragma once

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "analysis/clocks/clock_pool.hpp"
#include "analysis/levels/slab_pool.hpp"
#include "analysis/relations/section_mode.hpp"
#include "analysis/tuning.hpp"
#include "trace/error.hpp"

namespace omen {

struct Section {
  static constexpr Time kOpen = std::numeric_limits<Time>::max();

  Epoch released{kOpen, kNobody};  ///< by its thread; `kOpen` is later than any clock
  LockId lock{};
  SectionMode mode{};
  bool marked = false;
  ClockRef release;  ///< once released: the clock that rule (a) hands out

  ThreadId thread() const { return released.thread; }
  bool is_open() const { return released.time == kOpen; }
};

/// A list of sections, innermost first; the empty list is null.
struct SectionList {
  Section* section = nullptr;
  SectionList* outer = nullptr;
  std::uint32_t depth = 0;  ///< how many sections, this one included
  bool marked = false;
};

class SectionTable {
 public:
  explicit SectionTable(const Tuning& tuning) : tuning_(tuning), next_collection_(tuning.first_collection) {}

  void ensure_thread(ThreadId t) {
    if (index(t) >= threads_.size()) threads_.resize(index(t) + 1);
  }

  /// The sections that t is in now.
  const SectionList* current(ThreadId t) const { return threads_[index(t)].current; }

  void open(ThreadId t, LockId m, SectionMode mode) {
    ensure_thread(t);
    Section* section = sections_.make({.released = {Section::kOpen, t}, .lock = m, .mode = mode, .release = {}});
    push(threads_[index(t)].current, section);
  }

  void close(ThreadId t, LockId m, Epoch released, ClockRef release) {
    Thread& thread = threads_[index(t)];
    SectionList* ended = thread.current;
    while (ended != nullptr && ended->section->lock != m) ended = ended->outer;
    OMEN_CHECK(ended != nullptr);
    ended->section->released = released;
    ended->section->release = std::move(release);
    thread.current = without(thread.current, ended);
  }

  /// An access at `now` is being remembered: its epoch must lead to the current list from here on.
  void note(Epoch now) {
    ensure_thread(now.thread);
    Thread& thread = threads_[index(now.thread)];
    const std::size_t i = now.time - thread.first_recent;
    if (i < thread.recent.size()) return;
    thread.recent.resize(i + 1);
    thread.recent[i] = thread.current;
  }

  /// The sections in which the access of a noted epoch took place.
  const SectionList* at(Epoch e) const { return find(e); }

  bool wants_collection() const { return sections_.live() >= next_collection_; }

  /// `for_each_epoch(visit)` names the epochs still remembered by variables, `for_each_section(visit)` the sections that
  /// ancillary metadata refers to. `variables`: how many there are; a collection visits all, so it waits for as many sections.
  template <class ForEachEpoch, class ForEachSection>
  void collect(std::size_t variables, ForEachEpoch for_each_epoch, ForEachSection for_each_section) {
    std::vector<std::vector<std::pair<Time, SectionList*>>> kept(threads_.size());
    for_each_epoch([&](Epoch e) {
      if (SectionList* list = find(e)) {
        mark(list);
        kept[index(e.thread)].emplace_back(e.time, list);
      }
    });
    for_each_section([](Section* section) { section->marked = true; });
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      mark(threads_[i].current);
      forget_recent(threads_[i], std::move(kept[i]));
    }
    sections_.sweep();
    lists_.sweep();
    next_collection_ = tuning_.next_collection(sections_.live(), variables);
  }

  std::size_t live_sections() const { return sections_.live(); }

 private:
  struct Thread {
    SectionList* current = nullptr;
    Time first_recent = 0;
    std::vector<SectionList*> recent;                     ///< from local time `first_recent` on, one a local time
    std::vector<std::pair<Time, SectionList*>> old;       ///< before that: only what is still named, by time
  };

  void push(SectionList*& list, Section* section) {
    list = lists_.make({.section = section, .outer = list, .depth = list == nullptr ? 1 : list->depth + 1});
  }

  /// The list without one of its nodes. Releases in the order of the nesting, the common case, share the whole rest.
  SectionList* without(SectionList* list, const SectionList* node) {
    if (list == node) return list->outer;
    SectionList* rest = without(list->outer, node);
    push(rest, list->section);
    return rest;
  }

  SectionList* find(Epoch e) const {
    if (index(e.thread) >= threads_.size()) return nullptr;
    const Thread& thread = threads_[index(e.thread)];
    if (e.time >= thread.first_recent) [[likely]] {
      const std::size_t i = e.time - thread.first_recent;
      return i < thread.recent.size() ? thread.recent[i] : nullptr;
    }
    const auto entry = std::ranges::lower_bound(thread.old, e.time, {}, &std::pair<Time, SectionList*>::first);
    return entry != thread.old.end() && entry->first == e.time ? entry->second : nullptr;
  }

  static void mark(SectionList* list) {
    for (; list != nullptr && !list->marked; list = list->outer) {
      list->marked = true;
      list->section->marked = true;
    }
  }

  /// `kept` replaces all entries but the last, which the thread may still be in.
  static void forget_recent(Thread& thread, std::vector<std::pair<Time, SectionList*>> kept) {
    std::ranges::sort(kept);
    kept.erase(std::ranges::unique(kept).begin(), kept.end());
    thread.old = std::move(kept);
    if (thread.recent.empty()) return;
    mark(thread.recent.back());
    thread.first_recent += static_cast<Time>(thread.recent.size() - 1);
    thread.recent = {thread.recent.back()};
  }

  Tuning tuning_;
  std::vector<Thread> threads_;
  SlabPool<Section> sections_;
  SlabPool<SectionList> lists_;
  std::size_t next_collection_;
};

}  // namespace omen
