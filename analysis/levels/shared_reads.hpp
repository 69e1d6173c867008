/// \file
/// The vectors of reads that are not ordered among each other (FastTrack's "read shared"), with the place of each read.
///
/// Vectors are numbered and used again. The times of one are one cache line; the places of all stand in one array, a
/// row for each vector, so that neither is behind a pointer of its own.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "analysis/clocks/vector_clock.hpp"
#include "analysis/race.hpp"

namespace omen {

class SharedReads {
 public:
  using Number = std::uint32_t;

  /// A vector without reads.
  Number take() {
    if (free_.empty()) {
      free_.push_back(static_cast<Number>(times_.size()));
      times_.emplace_back();
      sites_.resize(times_.size() * width_);
    }
    const Number number = free_.back();
    free_.pop_back();
    return number;
  }
  void give_back(Number number) {
    times_[number].clear();
    free_.push_back(number);
  }

  [[gnu::always_inline]] const VectorClock& times(Number number) const { return times_[number]; }
  const Site& site(Number number, ThreadId t) const { return sites_[number * width_ + index(t)]; }

  [[gnu::always_inline]] void set(Number number, ThreadId t, Time time, Site site) {
    if (index(t) >= width_) [[unlikely]]
      widen(t);
    times_[number].set(t, time);
    sites_[number * width_ + index(t)] = site;
  }

 private:
  [[gnu::noinline]] void widen(ThreadId t) {
    const std::size_t width = std::bit_ceil(std::max<std::size_t>(index(t) + 1, 8));
    std::vector<Site> sites(times_.size() * width);
    for (std::size_t row = 0; row < times_.size(); ++row) {
      std::copy_n(sites_.begin() + static_cast<std::ptrdiff_t>(row * width_), width_,
                  sites.begin() + static_cast<std::ptrdiff_t>(row * width));
    }
    sites_ = std::move(sites);
    width_ = width;
  }

  std::vector<VectorClock> times_;
  std::vector<Site> sites_;  ///< by vector, then thread
  std::size_t width_ = 0;    ///< of a row in `sites_`: a power of two, or 0
  std::vector<Number> free_;
};

}  // namespace omen
