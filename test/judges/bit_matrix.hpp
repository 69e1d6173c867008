/// \file
/// A relation over the events of a trace: row i holds the events that come after i. All relations of the event model go
/// forward in the trace (i before j implies i < j), so one pass of `close` is enough.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace omen::judges {

class BitMatrix {
 public:
  explicit BitMatrix(std::size_t size) : size_(size), words_((size + 63) / 64), bits_(size * words_, 0) {}

  std::size_t size() const { return size_; }
  bool test(std::size_t i, std::size_t j) const { return (bits_[i * words_ + j / 64] >> (j % 64) & 1U) != 0; }
  void set(std::size_t i, std::size_t j) { bits_[i * words_ + j / 64] |= std::uint64_t{1} << (j % 64); }

  /// Adds row j of `other` to row i.
  void add_row(std::size_t i, const BitMatrix& other, std::size_t j) {
    for (std::size_t w = 0; w < words_; ++w) bits_[i * words_ + w] |= other.bits_[j * words_ + w];
  }

  void add(const BitMatrix& other) {
    for (std::size_t k = 0; k < bits_.size(); ++k) bits_[k] |= other.bits_[k];
  }

  /// True if row i and row j of `other` have a common member.
  bool meets(std::size_t i, const BitMatrix& other, std::size_t j) const {
    for (std::size_t w = 0; w < words_; ++w) {
      if ((bits_[i * words_ + w] & other.bits_[j * words_ + w]) != 0) return true;
    }
    return false;
  }

  /// Calls f(j) for each member j of row i, as the row was when its word was reached.
  template <class F>
  void for_each(std::size_t i, F f) const {
    for (std::size_t w = 0; w < words_; ++w) {
      for (std::uint64_t rest = bits_[i * words_ + w]; rest != 0; rest &= rest - 1) {
        f(w * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
      }
    }
  }

  /// Makes a forward relation transitive. From the last row to the first: when i is reached, all later rows are closed.
  void close() {
    for (std::size_t i = size_; i-- > 0;) {
      for_each(i, [&](std::size_t j) { add_row(i, *this, j); });
    }
  }

  bool operator==(const BitMatrix&) const = default;

 private:
  std::size_t size_;
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

}  // namespace omen::judges
