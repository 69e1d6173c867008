/// \file
/// Rule (a) as the unoptimised and the FTO level compute it: L^r_{m,x} and L^w_{m,x}, the release clocks of sections on
/// m that accessed (wrote) x. SmartTrack, Algorithms 1 and 2.
///
/// Stored per releasing thread and mode: a thread does not conflict with itself (which matters for WCP), and two shared
/// sections are not rivals. A thread's later release clock contains its earlier ones, so the last one is enough. When a
/// variable begins a new life, the old life's clocks stay: each entry has the number of its life.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analysis/clocks/clock_pool.hpp"
#include "analysis/levels/held_locks.hpp"

namespace omen {

template <class Relation>
class ConflictingSections {
 public:
  explicit ConflictingSections(Relation& relation) : relation_(relation) {}

  std::size_t held_count(ThreadId t) { return held_.of(t).size(); }

  void acquired(ThreadId t, LockId m, SectionMode mode) { held_.of(t).push_back({m, mode, {}}); }

  /// The section ends at local time `released` and publishes `clock`: stores it for the variables accessed in the
  /// section.
  void released(ThreadId t, LockId m, Epoch released, const VectorClock& clock) {
    const auto ended = held_.take(t, m);
    if (ended.section.accessed.empty()) return;
    const ClockRef release = pool_.copy_of(clock);
    auto& variables = locks_at(m);
    for (const Accessed& accessed : ended.section.accessed) {
      if (accessed.life != life(accessed.variable)) continue;
      PerVariable& entry = variables[accessed.variable];
      if (entry.life != accessed.life) entry = {accessed.life, {}};
      PerThread& sections = entry.of(t);
      const auto mode = static_cast<std::size_t>(ended.mode);
      sections.accessed[mode] = {released, release};
      if (accessed.wrote) sections.wrote[mode] = {released, release};
    }
  }

  /// t accesses x: adds order from conflicting sections on the locks that t holds, and notes the access in its own
  /// sections.
  void access(ThreadId t, VariableId x, bool writes) {
    for (auto& held : held_.of(t)) {
      order_after_rivals(t, held.lock, held.mode, x, writes);
      held.section.accessed.push_back({x, life(x), writes});
    }
  }

  template <class Visit>
  void for_each_clock(Visit visit) const {
    pool_.for_each_live([&](const PooledClock& pooled) { visit(pooled.clock); });
  }

  void begin_life(VariableId x) {
    if (index(x) >= lives_.size()) lives_.resize(index(x) + 1);
    ++lives_[index(x)];
  }

 private:
  struct Accessed {
    VariableId variable{};
    std::uint32_t life = 0;
    bool wrote = false;
  };
  struct OpenSection {
    std::vector<Accessed> accessed;
  };
  struct Ended {
    Epoch released;
    ClockRef release;
  };
  struct PerThread {
    ThreadId thread{};
    std::array<Ended, 2> accessed;  ///< by mode: the last section that read or wrote x
    std::array<Ended, 2> wrote;     ///< by mode: the last section that wrote x
  };
  struct PerVariable {
    std::uint32_t life = 0;
    std::vector<PerThread> threads;

    PerThread& of(ThreadId t) {
      const auto known = std::ranges::find(threads, t, &PerThread::thread);
      if (known != threads.end()) return *known;
      threads.emplace_back().thread = t;
      return threads.back();
    }
  };

  void order_after_rivals(ThreadId t, LockId m, SectionMode mode, VariableId x, bool writes) {
    auto& variables = locks_at(m);
    const auto entry = variables.find(x);
    if (entry == variables.end() || entry->second.life != life(x)) return;
    for (const PerThread& other : entry->second.threads) {
      if (other.thread == t) continue;
      const auto& sections = writes ? other.accessed : other.wrote;
      for (const SectionMode theirs : {SectionMode::Exclusive, SectionMode::Shared}) {
        const Ended& ended = sections[static_cast<std::size_t>(theirs)];
        if (!ended.released.is_none() && rivals(mode, theirs) && !relation_.knows_section(t, ended.released)) {
          relation_.order_after(t, *ended.release);
        }
      }
    }
  }

  std::unordered_map<VariableId, PerVariable>& locks_at(LockId m) {
    if (index(m) >= locks_.size()) locks_.resize(index(m) + 1);
    return locks_[index(m)];
  }
  std::uint32_t life(VariableId x) const { return index(x) < lives_.size() ? lives_[index(x)] : 0; }

  Relation& relation_;
  ClockPool pool_;
  HeldLocks<OpenSection> held_;
  std::vector<std::unordered_map<VariableId, PerVariable>> locks_;
  std::vector<std::uint32_t> lives_;
};

}  // namespace omen
