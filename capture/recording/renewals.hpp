/// \file
/// Large pieces of memory that were reallocated, and when. A later access asks whether its address was renewed since
/// the last access. Renewing every variable inside at once would take too long if it happens often.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>

namespace omen::recording {

class Renewals {
 public:
  void add(std::uint64_t begin, std::uint64_t end) {
    if (begin >= end) return;
    cut(begin);
    cut(end);
    ranges_.erase(ranges_.lower_bound(begin), ranges_.lower_bound(end));
    ranges_.emplace(begin, Range{end, ++last_});
  }

  /// The number of the latest renewal of the address; 0 if there was none.
  std::uint64_t latest(std::uint64_t address) const {
    if (ranges_.empty()) return 0;
    const auto after = ranges_.upper_bound(address);
    if (after == ranges_.begin()) return 0;
    const Range& range = std::prev(after)->second;
    return address < range.end ? range.number : 0;
  }

 private:
  struct Range {
    std::uint64_t end;
    std::uint64_t number;
  };

  /// Splits the range that contains the address, if any.
  void cut(std::uint64_t address) {
    const auto after = ranges_.lower_bound(address);
    if (after == ranges_.begin()) return;
    Range& range = std::prev(after)->second;
    if (range.end <= address) return;
    ranges_.emplace_hint(after, address, range);
    range.end = address;
  }

  std::map<std::uint64_t, Range> ranges_;  ///< by begin; they do not overlap
  std::uint64_t last_ = 0;
};

}  // namespace omen::recording
