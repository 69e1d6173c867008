/// \file
/// The vectors of reads that are not ordered among each other (FastTrack's "read shared"), with the place of each read.
///
/// Vectors are numbered and used again. All stand in one array, a row for each: a read finds its thread's last one, and
/// puts itself in its place, within one cache line and without following a pointer.
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

  /// A vector without reads.
  Number take() {
    if (free_.empty()) add_rows();
    const Number number = free_.back();
    free_.pop_back();
    return number;
  }
  void give_back(Number number) {
    std::ranges::fill(row(number), Read{});
    free_.push_back(number);
  }

  /// When t read; 0: not yet.
  [[gnu::always_inline]] Time time(Number number, ThreadId t) const {
    return index(t) < width_ ? reads_[number * width_ + index(t)].time : 0;
  }
  [[gnu::always_inline]] void set(Number number, Epoch epoch, Site site) {
    if (index(epoch.thread) >= width_) [[unlikely]]
      widen(epoch.thread);
    reads_[number * width_ + index(epoch.thread)] = {site.event, site.location, epoch.time};
  }

  /// Is every read at most at its thread's bound? Threads beyond the bounds have the bound 0.
  [[gnu::always_inline]] bool is_within(Number number, std::span<const Time> bounds) const {
    const Read* reads = &reads_[number * width_];
    const std::size_t n = std::min(width_, bounds.size());
    bool all = true;
    std::size_t i = 0;
    for (; i + kNarrowest <= n; i += kNarrowest) {
      for (std::size_t j = 0; j < kNarrowest; ++j) all &= reads[i + j].time <= bounds[i + j];
    }
    for (; i < n; ++i) all &= reads[i].time <= bounds[i];
    for (; i < width_; ++i) all &= reads[i].time == 0;
    return all;
  }

  /// Calls `visit(epoch, site)` for each read, by thread.
  template <class Visit>
  void for_each(Number number, Visit visit) const {
    for (std::size_t i = 0; i < width_; ++i) {
      const Read& read = reads_[number * width_ + i];
      if (read.time != 0)
        visit(Epoch{read.time, ThreadId{static_cast<std::uint32_t>(i)}}, Site{read.event, read.location});
    }
  }

 private:
  struct Read {
    EventIndex event{};
    LocationId location{};
    Time time = 0;
  };
  static_assert(sizeof(Read) == 16, "four to a cache line");
  static constexpr std::size_t kNarrowest = 8;

  std::span<Read> row(Number number) { return std::span(reads_).subspan(number * width_, width_); }

  [[gnu::noinline]] void add_rows() {
    const auto first = static_cast<Number>(rows_);
    rows_ = std::max<std::size_t>(64, 2 * rows_);
    reads_.resize(rows_ * width_);
    for (auto number = static_cast<Number>(rows_); number-- > first;) free_.push_back(number);
  }

  [[gnu::noinline]] void widen(ThreadId t) {
    const std::size_t width = std::bit_ceil(std::max(index(t) + 1, kNarrowest));
    std::vector<Read> wide(rows_ * width);
    for (std::size_t i = 0; i < rows_; ++i) {
      std::ranges::copy(row(static_cast<Number>(i)), wide.begin() + static_cast<std::ptrdiff_t>(i * width));
    }
    reads_ = std::move(wide);
    width_ = width;
  }

  std::vector<Read> reads_;  ///< by vector, then thread
  std::size_t rows_ = 0;
  std::size_t width_ = 0;  ///< of a row: a power of two, or 0
  std::vector<Number> free_;
};

}  // namespace omen
