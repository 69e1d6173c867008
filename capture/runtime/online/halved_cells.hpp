/// \file
/// Pairs of cells, one for each half of a cell's bytes: for tables of four-byte elements, whose neighbours are accessed
/// in different epochs. Each half is a cell in its own right, with its own lock bit.
///
/// The memory of a pair is never used for anything else; a pair is given back when the memory it stands for ends its
/// life.
#pragma once

#include "capture/runtime/online/cell.hpp"

namespace omen::rt::online {

class HalvedCells {
 public:
  using Number = u32;

  bool create() {
    cells_ = static_cast<Cell*>(map_memory(2 * kMost * sizeof(Cell)));
    return cells_ != nullptr;
  }
  void forget_all() {
    forget_memory(cells_, 2 * kMost * sizeof(Cell));
    next_ = 1;
    free_ = 0;
    live_ = 0;
    lock_.reset();
  }

  OMEN_INLINE Cell* operator[](Number number) { return cells_ + 2 * std::size_t{number}; }

  /// 0: there is no more.
  Number take() {
    const SpinGuard guard(lock_);
    if (free_ == 0 && next_ == kMost) return 0;
    ++live_;
    if (free_ == 0) return next_++;
    const Number number = free_;
    free_ = static_cast<Number>(cells_[2 * std::size_t{number}].read.load(std::memory_order_relaxed));
    return number;
  }
  void give_back(Number number) {
    Cell* const pair = (*this)[number];
    for (u32 half = 0; half < 2; ++half) {
      pair[half].write.store(0, std::memory_order_relaxed);
      pair[half].read.store(0, std::memory_order_relaxed);
    }
    const SpinGuard guard(lock_);
    --live_;
    pair->read.store(free_, std::memory_order_relaxed);
    free_ = number;
  }
  u64 live() const { return live_; }

 private:
  static constexpr Number kMost = 1U << 30;  ///< 32 GiB of addresses, no memory until touched

  Cell* cells_ = nullptr;
  SpinLock lock_;  ///< guards the rest, and the links of free pairs
  Number next_ = 1;
  Number free_ = 0;
  u64 live_ = 0;
};

}  // namespace omen::rt::online
