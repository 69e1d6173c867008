/// \file
/// Rule (a) for atomics: sections on one lock conflict too if both access an atomic and one of them writes it
/// (docs/event-model.md, "Conflicts"). All levels use this; L^r_{m,a} and L^w_{m,a} of SmartTrack, Algorithm 1.
///
/// An epoch per atomic is not enough. For a variable, levels keep an epoch because in an execution without races the
/// earlier accesses are ordered before the next one. Accesses of an atomic need not be ordered, and are no race. So
/// this table keeps release clocks for each lock and atomic.
///
/// Invariant, for lock m and atomic a: `last` is the last exclusive section on m that wrote a, `since` are the sections
/// that accessed a after it, the last of each thread and mode. Earlier sections are not needed: `last` excludes all of
/// them, and its access came after them by rule (a), so its release clock contains theirs.
///
/// Cost: an access outside of sections costs one comparison. Within a section only the first access of each atomic
/// looks for order: no rival section can have ended since.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "analysis/clocks/clock_pool.hpp"
#include "analysis/relations/numbered_keys.hpp"
#include "analysis/relations/section_mode.hpp"
#include "trace/ids.hpp"

namespace omen {

/// The atomics that were accessed in an open section.
class AccessedAtomics {
 public:
  /// False: this access, or a conflicting superset of it, was added before.
  bool add(AtomicId a, bool writes) {
    const std::uint32_t place = atomics_.find(static_cast<std::uint32_t>(a));
    if (place == NumberedKeys::kNone) {
      atomics_.add(static_cast<std::uint32_t>(a));
      wrote_.push_back(writes);
      return true;
    }
    if (wrote_[place] != 0 || !writes) return false;
    wrote_[place] = 1;
    return true;
  }
  void clear() {
    if (atomics_.empty()) return;
    atomics_.clear();
    wrote_.clear();
  }
  bool empty() const { return atomics_.empty(); }
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::size_t i = 0; i < atomics_.size(); ++i) visit(AtomicId{atomics_[i]}, wrote_[i] != 0);
  }

 private:
  NumberedKeys atomics_;
  Vector<std::uint8_t> wrote_;  ///< by place
};

class AtomicSections {
 public:
  /// `most`: how many pairs of lock and atomic are stored separately. Beyond that limit the entries of a lock are
  /// merged. This adds order, but only between sections on one lock.
  explicit AtomicSections(std::size_t most) : most_(most) {}

  /// t accesses a in a section on m: calls `order_after(released, clock)` for each section that rule (a) orders before
  /// the access.
  template <class OrderAfter>
  void access(ThreadId t, LockId m, SectionMode mode, AtomicId a, bool writes, const OrderAfter& order_after) {
    if (index(m) >= locks_.size()) return;
    Lock& lock = locks_[index(m)];
    const DataGuard guard(lock.guard);
    const std::uint32_t place = lock.atomics.find(static_cast<std::uint32_t>(a));
    const Sections* const sections =
        place == NumberedKeys::kNone || lock.of[place].life != life(a) ? nullptr : &lock.of[place];
    if (sections == nullptr || !sections->last.release) {
      if (!lock.united.empty()) [[unlikely]]
        order_after_united(lock.united, mode, order_after);
    } else if (sections->last.released.thread != t) {
      order_after(sections->last.released, *sections->last.release);
    }
    if (sections == nullptr) return;
    for (const OfThread& other : sections->since) {
      if (other.thread == t) continue;
      const auto& theirs = writes ? other.accessed : other.wrote;
      for (const SectionMode their_mode : {SectionMode::Exclusive, SectionMode::Shared}) {
        const Ended& ended = theirs[static_cast<std::size_t>(their_mode)];
        if (ended.release && rivals(mode, their_mode)) order_after(ended.released, *ended.release);
      }
    }
  }

  /// The end of a section on m in which these atomics, at least one, were accessed.
  void released(LockId m, SectionMode mode, Epoch released, const VectorClock& clock, const AccessedAtomics& accessed) {
    if (index(m) >= locks_.size()) locks_.resize(index(m) + 1);
    Lock& lock = locks_[index(m)];
    const DataGuard guard(lock.guard);
    const Ended ended{released, clocks_.copy_of(clock)};
    accessed.for_each([&](AtomicId a, bool wrote) {
      Sections& sections = sections_of(lock, a);
      if (wrote && mode == SectionMode::Exclusive) {
        sections.last = ended;
        sections.since.clear();
        return;
      }
      OfThread& own = sections.of(released.thread);
      own.accessed[static_cast<std::size_t>(mode)] = ended;
      if (wrote) own.wrote[static_cast<std::size_t>(mode)] = ended;
    });
  }

  /// The object no longer exists, and its number may be reused.
  void forget(LockId m) {
    if (index(m) >= locks_.size()) return;
    Lock& lock = locks_[index(m)];
    const DataGuard guard(lock.guard);
    kept_ -= lock.of.size();
    lock.atomics.clear();
    lock.of.clear();
    lock.united.clear();
  }
  void forget(AtomicId a) {
    if (index(a) >= lives_.size()) lives_.resize(index(a) + 1);
    ++lives_[index(a)];
  }

  /// Visits the clocks that may flow into a thread's.
  template <class Visit>
  void for_each_clock(Visit visit) const {
    clocks_.for_each_live([&](const PooledClock& pooled) { visit(pooled.clock); });
    for (const Lock& lock : locks_) {
      for (const VectorClock& clock : lock.united) visit(clock);
    }
  }

 private:
  struct Ended {
    Epoch released;
    ClockRef release;
  };
  struct OfThread {
    ThreadId thread{};
    std::array<Ended, 2> accessed;  ///< by mode: the last section that accessed a
    std::array<Ended, 2> wrote;     ///< by mode: the last section that wrote a
  };
  struct Sections {
    std::uint32_t life = 0;  ///< of the atomic
    Ended last;
    Vector<OfThread> since;

    OfThread& of(ThreadId t) {
      for (OfThread& known : since) {
        if (known.thread == t) return known;
      }
      since.emplace_back().thread = t;
      return since.back();
    }
  };
  struct Lock {
    DataLock guard;  ///< readers of one lock access it concurrently
    NumberedKeys atomics;
    Vector<Sections> of;         ///< by place in `atomics`
    Vector<VectorClock> united;  ///< empty, or by mode: of all merged sections
  };

  std::uint32_t life(AtomicId a) const { return index(a) < lives_.size() ? lives_[index(a)] : 0; }

  Sections& sections_of(Lock& lock, AtomicId a) {
    std::uint32_t place = lock.atomics.find(static_cast<std::uint32_t>(a));
    if (place == NumberedKeys::kNone) {
      if (kept_ >= most_) [[unlikely]]
        unite(lock);
      place = static_cast<std::uint32_t>(lock.atomics.size());
      lock.atomics.add(static_cast<std::uint32_t>(a));
      lock.of.emplace_back().life = life(a);
      ++kept_;
    }
    Sections& sections = lock.of[place];
    if (sections.life != life(a)) {
      sections = {};
      sections.life = life(a);
    }
    return sections;
  }

  void unite(Lock& lock) {
    lock.united.resize(2);
    const auto add = [&](const Ended& ended, SectionMode mode) {
      if (ended.release) lock.united[static_cast<std::size_t>(mode)].join(*ended.release);
    };
    for (const Sections& sections : lock.of) {
      add(sections.last, SectionMode::Exclusive);
      for (const OfThread& thread : sections.since) {
        for (const SectionMode mode : {SectionMode::Exclusive, SectionMode::Shared}) {
          add(thread.accessed[static_cast<std::size_t>(mode)], mode);
        }
      }
    }
    kept_ -= lock.of.size();
    lock.of.clear();
    lock.atomics.clear();
  }
  template <class OrderAfter>
  static void order_after_united(const Vector<VectorClock>& united, SectionMode mode, const OrderAfter& order_after) {
    for (const SectionMode theirs : {SectionMode::Exclusive, SectionMode::Shared}) {
      if (rivals(mode, theirs)) order_after(Epoch{}, united[static_cast<std::size_t>(theirs)]);
    }
  }

  ClockPool clocks_;  ///< before its owners
  Table<Lock> locks_;
  Table<std::uint32_t> lives_;  ///< by atomic: how often it was forgotten
  std::size_t most_;
  std::atomic<std::size_t> kept_ = 0;
};

}  // namespace omen
