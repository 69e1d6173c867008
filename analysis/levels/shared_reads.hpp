/// \file
/// The vectors of mutually unordered reads (FastTrack's "read shared"), with the position of each read.
///
/// Vectors are numbered and reused. All are in one array, a row for each, so that a read finds its thread's last one
/// without following a pointer. Positions are stored apart from times: an access waits for times, of which two vectors
/// fit into one cache line; it only writes positions.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/clocks/epoch.hpp"
#include "analysis/race.hpp"

namespace omen {

class SharedReads {
 public:
  using Number = std::uint32_t;

  /// Allocates a vector without reads.
  Number take() {
    if (free_.empty()) add_rows();
    const Number number = free_.back();
    free_.pop_back();
    return number;
  }
  void give_back(Number number) {
    std::ranges::fill(row(times_, number), 0);
    free_.push_back(number);
  }

  /// The time of t's last read; 0: none.
  [[gnu::always_inline]] Time time(Number number, ThreadId t) const {
    return index(t) < width_ ? times_[number * width_ + index(t)] : 0;
  }
  [[gnu::always_inline]] void set(Number number, Epoch epoch, Site site) {
    if (index(epoch.thread) >= width_) [[unlikely]]
      widen(epoch.thread);
    times_[number * width_ + index(epoch.thread)] = epoch.time;
    sites_[number * width_ + index(epoch.thread)] = site;
  }

  /// True if every read is at most at its thread's bound. Threads beyond the bounds have the bound 0.
  [[gnu::always_inline]] bool is_within(Number number, std::span<const Time> bounds) const {
    const Time* times = &times_[number * width_];
    const std::size_t n = std::min(width_, bounds.size());
    bool all = true;
    std::size_t i = 0;
    for (; i + kNarrowest <= n; i += kNarrowest) {
      for (std::size_t j = 0; j < kNarrowest; ++j) all &= times[i + j] <= bounds[i + j];
    }
    for (; i < n; ++i) all &= times[i] <= bounds[i];
    for (; i < width_; ++i) all &= times[i] == 0;
    return all;
  }

  /// Calls `visit(epoch, site)` for each read, by thread.
  template <class Visit>
  void for_each(Number number, Visit visit) const {
    for (std::size_t i = number * width_; i < (number + 1) * width_; ++i) {
      if (times_[i] != 0) visit(Epoch{times_[i], ThreadId{static_cast<std::uint32_t>(i - number * width_)}}, sites_[i]);
    }
  }

 private:
  static constexpr std::size_t kNarrowest = 8;

  template <class T>
  std::span<T> row(std::vector<T>& rows, Number number) const {
    return std::span(rows).subspan(number * width_, width_);
  }

  [[gnu::noinline]] void add_rows() {
    const auto first = static_cast<Number>(rows_);
    rows_ = std::max<std::size_t>(64, 2 * rows_);
    times_.resize(rows_ * width_);
    sites_.resize(rows_ * width_);
    for (auto number = static_cast<Number>(rows_); number-- > first;) free_.push_back(number);
  }

  [[gnu::noinline]] void widen(ThreadId t) {
    const std::size_t width = std::bit_ceil(std::max(index(t) + 1, kNarrowest));
    times_ = widened(times_, width);
    sites_ = widened(sites_, width);
    width_ = width;
  }
  template <class T>
  std::vector<T> widened(std::vector<T>& rows, std::size_t width) const {
    std::vector<T> wide(rows_ * width);
    for (std::size_t i = 0; i < rows_; ++i) {
      std::ranges::copy(row(rows, static_cast<Number>(i)), wide.begin() + static_cast<std::ptrdiff_t>(i * width));
    }
    return wide;
  }

  // Indexed by vector, then thread.
  std::vector<Time> times_;  ///< 0: none
  std::vector<Site> sites_;  ///< of the existing reads
  std::size_t rows_ = 0;
  std::size_t width_ = 0;  ///< of a row: a power of two, or 0
  std::vector<Number> free_;
};

}  // namespace omen
