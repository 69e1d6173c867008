/// \file
/// Values numbered in the order of their making, of which a few old ones and all recent ones are kept. Recent numbers
/// are dense and found by subtraction, old ones by hashing.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "trace/error.hpp"

namespace omen {

template <class T>
class NumberedStore {
 public:
  using Number = std::uint32_t;

  explicit NumberedStore(Number first) : first_recent_(first) {}

  /// The number that the next value gets.
  Number end() const { return first_recent_ + static_cast<Number>(recent_.size()); }
  std::size_t size() const { return recent_.size() + old_.size(); }

  void push(const T& value) { recent_.push_back(value); }

  /// A value that is known to be kept.
  [[gnu::always_inline]] T& at(Number number) {
    if (number >= first_recent_) [[likely]]
      return recent_[number - first_recent_];
    return old_at(number);
  }
  [[gnu::always_inline]] const T& at(Number number) const { return const_cast<NumberedStore*>(this)->at(number); }

  /// Null if it is not kept.
  [[gnu::always_inline]] T* find(Number number) {
    if (number < first_recent_) [[unlikely]]
      return find_old(number);
    const std::size_t i = number - first_recent_;
    return i < recent_.size() ? &recent_[i] : nullptr;
  }
  [[gnu::always_inline]] const T* find(Number number) const { return const_cast<NumberedStore*>(this)->find(number); }

  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& [number, value] : old_) visit(value);
    for (const T& value : recent_) visit(value);
  }

  /// The numbers of the values for which `test` holds, ascending.
  template <class Test>
  std::vector<Number> numbers_of(Test test) {
    std::vector<Number> found;
    for (auto& [number, value] : old_) {
      if (test(value)) found.push_back(number);
    }
    for (std::size_t i = 0; i < recent_.size(); ++i) {
      if (test(recent_[i])) found.push_back(first_recent_ + static_cast<Number>(i));
    }
    return found;
  }

  /// Forgets all but these, ascending. All recent values become old; the memory for recent ones stays, and stays warm.
  void keep_only(const std::vector<Number>& numbers) {
    std::vector<std::pair<Number, T>> kept;
    kept.reserve(numbers.size());
    for (const Number number : numbers) kept.emplace_back(number, std::move(at(number)));
    first_recent_ = end();
    recent_.clear();
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

  std::size_t slot_of(Number number) const { return (number * 2'654'435'769U) & (slots_.size() - 1); }

  /// At least half of the slots stay empty.
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

  Number first_recent_;
  std::vector<T> recent_;
  std::vector<std::pair<Number, T>> old_;  ///< ascending
  std::vector<std::uint32_t> slots_;       ///< by hash of the number: 1 + index in `old_`; 0: none
};

}  // namespace omen
