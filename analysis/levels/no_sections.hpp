/// \file
/// The stand-in for `ConflictingSections` where the relation orders all sections of a lock anyway (happens-before).
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/relations/section_mode.hpp"
#include "trace/ids.hpp"

namespace omen {

template <class Relation>
class NoSections {
 public:
  explicit NoSections(Relation& /*relation*/) {}
  std::size_t held_count(ThreadId t) const { return index(t) < held_.size() ? held_[index(t)] : 0; }
  void acquired(ThreadId t, LockId /*m*/, SectionMode /*mode*/) {
    if (index(t) >= held_.size()) held_.resize(index(t) + 1);
    ++held_[index(t)];
  }
  void released(ThreadId t) { --held_[index(t)]; }
  void access(ThreadId /*t*/, VariableId /*x*/, bool /*writes*/) {}
  void begin_life(VariableId /*x*/) {}
  template <class Visit>
  void for_each_clock(Visit /*visit*/) const {}

 private:
  std::vector<std::size_t> held_;  ///< only for the counters
};

}  // namespace omen
