/// \file
/// Vector clocks: for each thread, up to which of its local times something is known. Threads beyond the stored ones
/// are at 0.
///
/// A clock of up to 14 threads is one cache line with no memory of its own: clocks are copied at every release and kept
/// by the ten thousand, so this is what most of an analysis' time depends on.
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "analysis/clocks/epoch.hpp"
#include "trace/error.hpp"

namespace omen {

class VectorClock {
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

  [[gnu::always_inline]] Time operator[](ThreadId t) const { return index(t) < size_ ? times()[index(t)] : 0; }

  void set(ThreadId t, Time time) {
    if (index(t) >= size_) resize(static_cast<std::uint32_t>(index(t) + 1));
    times()[index(t)] = time;
  }

  /// The next local time of `t`.
  void tick(ThreadId t) {
    const Time now = (*this)[t];
    OMEN_CHECK(now < std::numeric_limits<Time>::max() - 1);
    set(t, now + 1);
  }

  /// C ⊔= other.
  void join(const VectorClock& other) {
    const std::uint32_t n = other.size_;
    if (n > size_) resize(n);
    Time* mine = times();
    const Time* theirs = other.times();
    for (std::uint32_t i = 0; i < n; ++i) mine[i] = std::max(mine[i], theirs[i]);
  }

  /// e ⪯ C: the papers' O(1) test.
  [[gnu::always_inline]] bool covers(Epoch e) const { return e.time <= (*this)[e.thread]; }

  /// other ⊑ C.
  bool covers(const VectorClock& other) const {
    const Time* mine = times();
    const Time* theirs = other.times();
    for (std::uint32_t i = 0; i < other.size_; ++i) {
      if (theirs[i] > (i < size_ ? mine[i] : 0)) return false;
    }
    return true;
  }

  /// Everything to 0; the memory is kept for the next use.
  void clear() { size_ = 0; }

  /// How many threads may have a time other than 0: ids from 0 on.
  std::size_t size() const { return size_; }

 private:
  static constexpr std::uint32_t kInside = 14;

  bool is_inside() const { return capacity_ == kInside; }
  Time* times() { return is_inside() ? inside_ : outside_; }
  const Time* times() const { return is_inside() ? inside_ : outside_; }

  [[gnu::always_inline]] void assign(const VectorClock& other) {
    if (is_inside() && other.is_inside()) [[likely]] {
      size_ = other.size_;
      std::memcpy(inside_, other.inside_, sizeof inside_);  // the whole line: faster than counting
      return;
    }
    assign_outside(other);
  }

  [[gnu::noinline]] void assign_outside(const VectorClock& other) {
    if (other.size_ > capacity_) reserve(other.size_);
    std::copy_n(other.times(), other.size_, times());
    size_ = other.size_;
  }

  void steal(VectorClock& other) noexcept {
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, kInside);
    if (is_inside()) {
      std::memcpy(inside_, other.inside_, sizeof inside_);
    } else {
      outside_ = other.outside_;
    }
  }

  void resize(std::uint32_t size) {
    if (size > capacity_) [[unlikely]]
      reserve(size);
    std::fill(times() + size_, times() + size, 0);
    size_ = size;
  }

  [[gnu::noinline]] void reserve(std::uint32_t wanted) {
    const std::uint32_t capacity = std::max(wanted, 2 * capacity_);
    Time* grown = new Time[capacity];
    std::copy_n(times(), size_, grown);
    release();
    outside_ = grown;
    capacity_ = capacity;
  }

  void release() {
    if (!is_inside()) delete[] outside_;
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
