/// \file
/// A set of locks with false positives: one bit for each lock, modulo 64. A thread is in few sections at a time, so the
/// usual answer is no, at the cost of one instruction.
#pragma once

#include <cstdint>

#include "trace/ids.hpp"

namespace omen {

class LockSet {
 public:
  LockSet() = default;
  explicit LockSet(LockId m) : bits_(std::uint64_t{1} << (index(m) % 64)) {}

  static LockSet of_bits(std::uint64_t bits) {
    LockSet set;
    set.bits_ = bits;
    return set;
  }
  static LockSet every() { return of_bits(~std::uint64_t{0}); }

  LockSet operator|(LockSet other) const {
    LockSet both;
    both.bits_ = bits_ | other.bits_;
    return both;
  }
  bool is_empty() const { return bits_ == 0; }
  bool may_meet(LockSet other) const { return (bits_ & other.bits_) != 0; }
  bool may_contain(LockId m) const { return (bits_ & LockSet(m).bits_) != 0; }
  std::uint64_t bits() const { return bits_; }

 private:
  std::uint64_t bits_ = 0;
};

}  // namespace omen
