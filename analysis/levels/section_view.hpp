/// \file
/// How far each thread knows the sections of each other thread: a cache of the `SectionTable::Horizon` of t's knowledge
/// of u.
///
/// Nearly every query of SmartTrack is "does t know the end of all sections of the access at c@u?", and nearly every
/// answer is yes: c is not after the time up to which u's sections are known to have ended. That time only grows with
/// what t knows of u, so the cached one is a lower bound, whether or not t has learned more since. A yes does not read
/// t's clock.
///
/// In WCP a thread may know more of another thread than of its sections: hard order is not WCP. For what the other did
/// outside of all sections, that knowledge is enough (`free_until`).
///
/// Rule (b) asks: which sections does t know to have begun, and not to have ended? It needs the answer for t's current
/// knowledge, so a release visits all threads of which t has learned something since its last visit.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>

#include "analysis/clocks/vector_clock.hpp"
#include "analysis/levels/lock_set.hpp"
#include "analysis/levels/section_table.hpp"
#include "analysis/memory.hpp"

namespace omen {

/// `kOwn`: a thread's own sections may be unknown to it (WCP). Otherwise they are always known.
template <bool kOwn>
class SectionView {
 public:
  void ensure_thread(ThreadId t) {
    if (index(t) >= inside_.size()) [[unlikely]]
      grow(t);
  }

  /// t knows all sections in which u was at a local time up to this one. A lower bound.
  [[gnu::always_inline]] Time quiet(ThreadId t, ThreadId u) const { return quiet_[at(t, u)]; }
  std::span<const Time> quiet(ThreadId t) const { return {&quiet_[at(t, ThreadId{0})], width_}; }
  /// t knows u's sections up to `known`, and its other actions up to `reached`. Updates the entry; true if the quiet
  /// time has grown.
  bool look(const SectionTable& table, ThreadId t, ThreadId u, Time known, Time reached) {
    if ((seen_[at(t, u)] == known && (!kOwn || reached_[at(t, u)] == reached)) || (!kOwn && t == u)) return false;
    note(table, t, u, known, reached);
    stale_[index(t)] = true;
    return true;
  }

  /// t knows other threads' sections up to `known`, and their other actions up to `reached`. Returns the locks of
  /// sections that it knows to have begun, and not to have ended.
  LockSet inside(const SectionTable& table, ThreadId t, const VectorClock& known, const VectorClock& reached) {
    bool changed = stale_[index(t)];
    const std::span<const Time> times = known.lanes();
    const Time* seen = &seen_[at(t, ThreadId{0})];
    const std::size_t n = std::min(times.size(), width_);
    for (std::size_t first = 0; first < n; first += 64) {
      std::uint64_t learned = differences(times.subspan(first), seen + first, std::min<std::size_t>(64, n - first));
      if (!kOwn && index(t) - first < 64) learned &= ~(std::uint64_t{1} << (index(t) - first));
      changed |= learned != 0;
      for (; learned != 0; learned &= learned - 1) {
        const ThreadId u{static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(std::countr_zero(learned))};
        note(table, t, u, times[index(u)], kOwn ? reached[u] : times[index(u)]);
      }
    }
    if (changed) unite(t);
    return inside_[index(t)];
  }
  /// The part of u's sections in the last result of `inside`.
  LockSet inside_of(ThreadId t, ThreadId u) const { return locks_[at(t, u)]; }
  std::size_t threads() const { return inside_.size(); }

 private:
  [[gnu::always_inline]] std::size_t at(ThreadId t, ThreadId u) const { return index(t) * width_ + index(u); }

  /// A bit for each of the first n times that differs. There are few threads: eight are compared at once, without a
  /// branch.
  [[gnu::always_inline]] static std::uint64_t differences(std::span<const Time> times, const Time* seen,
                                                          std::size_t n) {
    std::uint64_t bits = 0;
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8) {
      std::uint64_t eight = 0;
      for (std::size_t j = 0; j < 8; ++j) eight |= static_cast<std::uint64_t>(times[i + j] != seen[i + j]) << j;
      bits |= eight << i;
    }
    for (; i < n; ++i) bits |= static_cast<std::uint64_t>(times[i] != seen[i]) << i;
    return bits;
  }

  void note(const SectionTable& table, ThreadId t, ThreadId u, Time known, Time reached) {
    const SectionTable::Horizon horizon = table.horizon(u, known);
    seen_[at(t, u)] = known;
    quiet_[at(t, u)] = std::max(quiet_[at(t, u)], horizon.quiet);
    if constexpr (kOwn) {
      reached_[at(t, u)] = reached;
      if (horizon.quiet == known) quiet_[at(t, u)] = std::max(quiet_[at(t, u)], table.free_until(u, known, reached));
    }
    locks_[at(t, u)] = horizon.locks;
  }

  void unite(ThreadId t) {
    LockSet all;
    for (std::size_t i = at(t, ThreadId{0}); i < at(t, ThreadId{0}) + inside_.size(); ++i) all = all | locks_[i];
    inside_[index(t)] = all;
    stale_[index(t)] = false;
  }

  void grow(ThreadId t) {
    const std::size_t old_threads = inside_.size();
    inside_.resize(index(t) + 1);
    stale_.resize(index(t) + 1);
    const std::size_t old_width = width_;
    width_ = std::bit_ceil(std::max<std::size_t>(index(t) + 1, kNarrowest));
    if (width_ == old_width) {  // only rows are added: a program may create thousands of threads in sequence
      quiet_.resize(inside_.size() * width_);
      seen_.resize(inside_.size() * width_);
      if constexpr (kOwn) reached_.resize(inside_.size() * width_);
      locks_.resize(inside_.size() * width_);
    } else {
      quiet_ = widened(quiet_, old_threads, old_width);
      seen_ = widened(seen_, old_threads, old_width);
      if constexpr (kOwn) reached_ = widened(reached_, old_threads, old_width);
      locks_ = widened(locks_, old_threads, old_width);
    }
    if constexpr (!kOwn) {
      for (std::size_t i = old_threads; i < inside_.size(); ++i) {
        quiet_[i * width_ + i] = std::numeric_limits<Time>::max();
      }
    }
  }

  template <class T>
  Vector<T> widened(const Vector<T>& old, std::size_t old_threads, std::size_t old_width) const {
    Vector<T> wide(inside_.size() * width_);
    for (std::size_t row = 0; row < old_threads; ++row) {
      std::copy_n(old.begin() + static_cast<std::ptrdiff_t>(row * old_width), old_width,
                  wide.begin() + static_cast<std::ptrdiff_t>(row * width_));
    }
    return wide;
  }

  static constexpr std::size_t kNarrowest = 16;  ///< at least the lanes of a clock inside its cache line

  std::size_t width_ = 0;  ///< of the rows; a power of two
  // Indexed by thread t, then u.
  Vector<Time> quiet_;
  Vector<Time> seen_;     ///< what t knew of u when the entry was computed
  Vector<Time> reached_;  ///< up to where t then knew u's actions, though perhaps not its sections; if `kOwn`
  Vector<LockSet> locks_;
  // Indexed by thread t.
  Vector<LockSet> inside_;      ///< the union of its row of `locks_`
  Vector<std::uint8_t> stale_;  ///< the row has changed since `inside_` was computed
};

}  // namespace omen
