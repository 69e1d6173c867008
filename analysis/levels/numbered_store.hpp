/// \file
/// Values numbered in the order of their creation, of which all recent ones and a few old ones are kept. Recent ones
/// are in a ring, indexed by number; old ones are in a hash table.
///
/// The ring is reused, so that new values are written to memory in the cache, and no value moves when it becomes old.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "analysis/memory.hpp"
#include "trace/check.hpp"

namespace omen {

template <class T>
class NumberedStore {
 public:
  using Number = std::uint32_t;

  explicit NumberedStore(Number first) : first_recent_(first), end_(first) {}

  /// The number of the next value.
  Number end() const { return end_; }
  /// From this number to the end, all values are kept.
  Number first_recent() const { return first_recent_; }
  std::size_t size() const { return end_ - first_recent_ + old_.size(); }

  /// Makes room for the next value and returns its slot, which holds an old value that the caller overwrites.
  [[gnu::always_inline]] T& push() {
    if (end_ - first_recent_ == ring_.size()) [[unlikely]]
      grow();
    T& place = ring_[end_ & mask_];
    ++end_;
    if constexpr (sizeof(T) >= 32) __builtin_prefetch(&ring_[end_ & mask_], 1);  // well before the write
    return place;
  }

  /// The value with this number, which must be kept.
  [[gnu::always_inline]] T& at(Number number) {
    if (number >= first_recent_) [[likely]]
      return ring_[number & mask_];
    return old_at(number);
  }
  [[gnu::always_inline]] const T& at(Number number) const { return const_cast<NumberedStore*>(this)->at(number); }

  /// Null if it is not kept.
  [[gnu::always_inline]] T* find(Number number) {
    if (number < first_recent_) [[unlikely]]
      return find_old(number);
    return number < end_ ? &ring_[number & mask_] : nullptr;
  }
  [[gnu::always_inline]] const T* find(Number number) const { return const_cast<NumberedStore*>(this)->find(number); }

  /// Calls `visit(value)` for each value from `first` on, which must be recent.
  template <class Visit>
  void for_each_from(Number first, Visit visit) const {
    for (Number number = first; number != end_; ++number) visit(ring_[number & mask_]);
  }

  /// Drops all values before `first_recent` except these, ascending.
  void keep_only(const Vector<Number>& numbers, Number first_recent) {
    Vector<std::pair<Number, T>> kept;
    kept.reserve(numbers.size());
    for (const Number number : numbers) kept.emplace_back(number, std::move(at(number)));
    first_recent_ = std::max(first_recent_, first_recent);
    old_ = std::move(kept);
    index_old();
  }

 private:
  T* find_old(Number number) {
    if (slots_.empty()) return nullptr;
    for (std::size_t i = slot_of(number);; i = (i + 1) & (slots_.size() - 1)) {
      if (slots_[i] == 0) return nullptr;
      auto& entry = old_[slots_[i] - 1];
      if (entry.first == number) return &entry.second;
    }
  }

  std::size_t slot_of(Number number) const { return (std::size_t{number} * 2'654'435'769U) & (slots_.size() - 1); }

  /// Rebuilds the hash table; at least half of its slots stay empty.
  void index_old() {
    slots_.assign(old_.empty() ? 0 : std::bit_ceil(2 * old_.size()), 0);
    for (std::size_t n = 0; n < old_.size(); ++n) {
      std::size_t i = slot_of(old_[n].first);
      while (slots_[i] != 0) i = (i + 1) & (slots_.size() - 1);
      slots_[i] = static_cast<std::uint32_t>(n + 1);
    }
  }

  [[gnu::noinline]] T& old_at(Number number) {
    T* entry = find_old(number);
    OMEN_CHECK(entry != nullptr);
    return *entry;
  }

  [[gnu::noinline]] void grow() {
    const std::size_t capacity = std::max<std::size_t>(16, 2 * ring_.size());
    Vector<T> ring(capacity);
    for (Number number = first_recent_; number != end_; ++number) {
      ring[number & (capacity - 1)] = std::move(ring_[number & mask_]);
    }
    ring_ = std::move(ring);
    mask_ = static_cast<Number>(capacity - 1);
  }

  Number first_recent_;
  Number end_;
  Number mask_ = 0;
  Vector<T> ring_;                    ///< a power of two, or none
  Vector<std::pair<Number, T>> old_;  ///< ascending
  Vector<std::uint32_t> slots_;       ///< by hash of the number: 1 + index in `old_`; 0: none
};

}  // namespace omen
