/// \file
/// Event distances of races: the number of events of the trace between the two accesses. For each distance the share of
/// races with at least that distance, as in Figure 6 of the paper on Vindicator (PLDI 2018).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace omen::cli {

class Distances {
 public:
  void add(std::uint64_t distance) {
    all_.push_back(distance);
    sorted_ = false;
  }

  bool empty() const { return all_.empty(); }
  /// 0 if there are none.
  std::uint64_t least() const { return at(0); }
  std::uint64_t median() const { return at(all_.size() / 2); }
  std::uint64_t most() const { return at(all_.size() - 1); }

  /// From 0 to 1.
  double at_least(std::uint64_t distance) const;

  /// Ascending distances, each with the share of races that have at least that distance; a few hundred at most.
  std::vector<std::pair<std::uint64_t, double>> steps() const;

 private:
  std::uint64_t at(std::size_t rank) const;
  void sort() const;

  mutable std::vector<std::uint64_t> all_;
  mutable bool sorted_ = true;
};

/// A standalone SVG without scripts: a line per class, with a logarithmic axis of distances.
std::string distance_plot(const std::vector<std::pair<std::string, Distances>>& lines);

}  // namespace omen::cli
