/// \file
/// Vector clocks: for each thread, up to which of its local times something is known. Threads beyond the stored ones are at 0.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "analysis/clocks/epoch.hpp"
#include "trace/error.hpp"

namespace omen {

class VectorClock {
 public:
  Time operator[](ThreadId t) const { return index(t) < times_.size() ? times_[index(t)] : 0; }

  void set(ThreadId t, Time time) {
    if (index(t) >= times_.size()) times_.resize(index(t) + 1);
    times_[index(t)] = time;
  }

  /// The next local time of `t`.
  void tick(ThreadId t) {
    OMEN_CHECK((*this)[t] < std::numeric_limits<Time>::max() - 1);
    set(t, (*this)[t] + 1);
  }

  /// C ⊔= other.
  void join(const VectorClock& other) {
    const std::size_t n = other.times_.size();
    if (n > times_.size()) times_.resize(n);
    Time* mine = times_.data();
    const Time* theirs = other.times_.data();
    for (std::size_t i = 0; i < n; ++i) mine[i] = std::max(mine[i], theirs[i]);
  }

  /// e ⪯ C: the papers' O(1) test.
  bool covers(Epoch e) const { return e.time <= (*this)[e.thread]; }

  /// other ⊑ C.
  bool covers(const VectorClock& other) const {
    for (std::size_t i = 0; i < other.times_.size(); ++i) {
      if (other.times_[i] > (i < times_.size() ? times_[i] : 0)) return false;
    }
    return true;
  }

  /// Everything to 0; the memory is kept for the next use.
  void clear() { times_.clear(); }
  bool is_zero() const { return times_.empty(); }

  /// How many threads may have a time other than 0: ids from 0 on.
  std::size_t size() const { return times_.size(); }

 private:
  std::vector<Time> times_;
};

}  // namespace omen
