/// \file
/// A set of small numbers in the order of their insertion, each with its position in that order. Nearly always it has
/// few elements, and a linear search finds them; a larger set uses a hash table of positions.
#pragma once

#include <bit>
#include <cstdint>

#include "analysis/memory.hpp"

namespace omen {

class NumberedKeys {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::size_t size() const { return keys_.size(); }
  bool empty() const { return keys_.empty(); }
  std::uint32_t operator[](std::size_t place) const { return keys_[place]; }

  /// The key's position, or `kNone`.
  std::uint32_t find(std::uint32_t key) const {
    if (keys_.size() <= kFew) [[likely]] {
      for (std::size_t i = 0; i < keys_.size(); ++i) {
        if (keys_[i] == key) return static_cast<std::uint32_t>(i);
      }
      return kNone;
    }
    return places_[slot_of(key)] - 1;  // of an empty slot: kNone
  }

  /// Adds a key that is not in the set. Its position is the old size.
  void add(std::uint32_t key) {
    keys_.push_back(key);
    if (keys_.size() <= kFew) return;
    if (2 * keys_.size() > places_.size()) {
      rebuild();
    } else {
      places_[slot_of(key)] = static_cast<std::uint32_t>(keys_.size());
    }
  }

  void clear() {
    keys_.clear();
    places_.clear();
  }

 private:
  static constexpr std::size_t kFew = 8;

  /// The slot of the key, or the empty slot where it belongs.
  std::size_t slot_of(std::uint32_t key) const {
    const std::size_t mask = places_.size() - 1;
    std::size_t slot = (key * 0x9E3779B97F4A7C15ULL >> 32) & mask;
    while (places_[slot] != 0 && keys_[places_[slot] - 1] != key) slot = (slot + 1) & mask;
    return slot;
  }
  void rebuild() {
    places_.assign(std::bit_ceil(4 * keys_.size()), 0);
    for (std::size_t i = 0; i < keys_.size(); ++i) places_[slot_of(keys_[i])] = static_cast<std::uint32_t>(i + 1);
  }

  Vector<std::uint32_t> keys_;
  Vector<std::uint32_t> places_;  ///< by hash: 1 + place; 0: empty. Only of a larger set
};

}  // namespace omen
