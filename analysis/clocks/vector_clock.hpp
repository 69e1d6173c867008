/// \file
/// Vector clocks: for each thread, the local time up to which its events are known. Threads beyond the stored ones are
/// at 0.
///
/// A clock of up to 14 threads is one cache line without further memory. Clocks are copied at every release and stored
/// by the ten thousand, so their size dominates the time of an analysis. Invariant: in such a clock the times of
/// threads beyond the stored ones are 0 in memory too, so that joins and comparisons run over a fixed number of lanes,
/// without a branch.
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

#include "analysis/clocks/epoch.hpp"
#include "analysis/memory.hpp"
#include "trace/check.hpp"

namespace omen {

class alignas(64) VectorClock {
 public:
  VectorClock() = default;
  VectorClock(const VectorClock& other) { assign(other); }
  VectorClock(VectorClock&& other) noexcept { steal(other); }
  VectorClock& operator=(const VectorClock& other) {
    if (this != &other) assign(other);
    return *this;
  }
  VectorClock& operator=(VectorClock&& other) noexcept {
    if (this != &other) {
      release();
      steal(other);
    }
    return *this;
  }
  ~VectorClock() { release(); }

  [[gnu::always_inline]] Time operator[](ThreadId t) const {
    if (index(t) >= size_) [[unlikely]]
      return 0;
    return times()[index(t)];
  }

  [[gnu::always_inline]] void set(ThreadId t, Time time) {
    if (index(t) >= size_) [[unlikely]]
      resize(static_cast<std::uint32_t>(index(t) + 1));
    times()[index(t)] = time;
  }

  /// Reduces the knowledge of `t` to at most this time.
  void limit(ThreadId t, Time most) {
    if ((*this)[t] > most) set(t, most);
  }

  /// Advances to the next local time of `t`.
  [[gnu::always_inline]] void tick(ThreadId t) {
    if (index(t) >= size_) [[unlikely]]
      resize(static_cast<std::uint32_t>(index(t) + 1));
    Time& now = times()[index(t)];
    if (now >= std::numeric_limits<Time>::max() - 1) [[unlikely]]
      out_of_times();
    ++now;
  }

  /// C ⊔= other.
  [[gnu::always_inline]] void join(const VectorClock& other) {
    if (is_inside() && other.is_inside()) [[likely]] {
      size_ = std::max(size_, other.size_);
      for (std::uint32_t i = 0; i < kNarrow; ++i) inside_[i] = std::max(inside_[i], other.inside_[i]);
      if (size_ <= kNarrow) [[likely]]
        return;
      for (std::uint32_t i = kNarrow; i < kInside; ++i) inside_[i] = std::max(inside_[i], other.inside_[i]);
      return;
    }
    join_outside(other);
  }

  /// e ⪯ C: the papers' O(1) test.
  [[gnu::always_inline]] bool covers(Epoch e) const { return e.time <= (*this)[e.thread]; }

  /// other ⊑ C.
  [[gnu::always_inline]] bool covers(const VectorClock& other) const {
    if (is_inside() && other.is_inside()) [[likely]] {
      return other.at_most(inside_, kNarrow) && (other.size_ <= kNarrow || other.at_most(inside_, kInside));
    }
    return other.size_ <= size_ ? other.at_most(times(), other.size_)
                                : other.at_most(times(), size_) && other.is_zero_from(size_);
  }

  /// The times by thread: at least `size()` of them, and for a small clock a fixed number, so that loops need no count.
  [[gnu::always_inline]] std::span<const Time> lanes() const {
    return {times(), is_inside() ? std::max(size_, kNarrow) : size_};
  }

  /// Sets all times to 0; keeps the memory.
  void clear() {
    if (size_ == 0) return;
    size_ = 0;
    if (is_inside()) std::memset(inside_, 0, sizeof inside_);
  }

  /// An upper bound on the thread ids with a time other than 0.
  std::size_t size() const { return size_; }

 private:
  static constexpr std::uint32_t kInside = 14;
  static constexpr std::uint32_t kNarrow = 8;  ///< enough for most programs, and two vector registers

  bool is_inside() const { return capacity_ == kInside; }
  Time* times() {
    if (is_inside()) [[likely]]
      return inside_;
    return outside_;
  }
  const Time* times() const { return const_cast<VectorClock*>(this)->times(); }

  [[gnu::always_inline]] void assign(const VectorClock& other) {
    if (is_inside() && other.is_inside()) [[likely]] {
      size_ = other.size_;
      std::memcpy(inside_, other.inside_, sizeof inside_);  // the whole line: faster than counting
      return;
    }
    assign_outside(other);
  }

  [[gnu::noinline]] void assign_outside(const VectorClock& other) {
    clear();
    if (other.size_ > capacity_) reserve(other.size_);
    std::copy_n(other.times(), other.size_, times());
    size_ = other.size_;
  }

  [[gnu::noinline]] void join_outside(const VectorClock& other) {
    if (other.size_ > size_) resize(other.size_);
    Time* mine = times();
    const Time* theirs = other.times();
    for (std::uint32_t i = 0; i < other.size_; ++i) mine[i] = std::max(mine[i], theirs[i]);
  }

  /// True if each of the first n times is at most its bound. No early exit, so that the comparison is vectorised.
  [[gnu::always_inline]] bool at_most(const Time* bounds, std::uint32_t n) const {
    const Time* mine = times();
    bool all = true;
    for (std::uint32_t i = 0; i < n; ++i) all &= mine[i] <= bounds[i];
    return all;
  }
  bool is_zero_from(std::uint32_t first) const {
    return std::all_of(times() + first, times() + size_, [](Time time) { return time == 0; });
  }

  void steal(VectorClock& other) noexcept {
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, kInside);
    if (is_inside()) {
      std::memcpy(inside_, other.inside_, sizeof inside_);
    } else {
      outside_ = other.outside_;
    }
    std::memset(other.inside_, 0, sizeof other.inside_);
  }

  /// A separate function, so that the code of the failed check is not inlined into every tick.
  [[noreturn, gnu::noinline]] static void out_of_times() {
    check_failed(__FILE__, __LINE__, "a thread has more local times than there are");
  }

  [[gnu::noinline]] void resize(std::uint32_t size) {
    if (size > capacity_) reserve(size);
    std::fill(times() + size_, times() + size, 0);
    size_ = size;
  }

  [[gnu::noinline]] void reserve(std::uint32_t wanted) {
    const std::uint32_t capacity = std::max(wanted, 2 * capacity_);
    Time* grown = Allocator<Time>().allocate(capacity);
    std::copy_n(times(), size_, grown);
    release();
    outside_ = grown;
    capacity_ = capacity;
  }

  void release() {
    if (!is_inside()) Allocator<Time>().deallocate(outside_, capacity_);
  }

  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = kInside;
  union {
    Time inside_[kInside] = {};
    Time* outside_;
  };
};
static_assert(sizeof(VectorClock) == 64);

}  // namespace omen
