/// \file
/// One clock per thread, each starting at local time 1.
#pragma once

#include "analysis/clocks/vector_clock.hpp"
#include "analysis/memory.hpp"

namespace omen {

class ThreadClocks {
 public:
  /// Threads are dense: ensuring one also creates all before it.
  void ensure(ThreadId t) {
    if (index(t) >= clocks_.size()) [[unlikely]]
      grow(t);
  }
  VectorClock& operator[](ThreadId t) { return clocks_[index(t)]; }
  const VectorClock& operator[](ThreadId t) const { return clocks_[index(t)]; }
  std::size_t size() const { return clocks_.size(); }
  auto begin() const { return clocks_.begin(); }
  auto end() const { return clocks_.end(); }

 private:
  void grow(ThreadId t) {
    while (index(t) >= clocks_.size()) {
      const ThreadId next{static_cast<std::uint32_t>(clocks_.size())};
      clocks_.emplace_back().set(next, 1);
    }
  }

  Table<VectorClock> clocks_;
};

}  // namespace omen
