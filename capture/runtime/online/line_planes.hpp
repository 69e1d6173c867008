/// \file
/// The reads of lines that several threads read: read_planes.hpp, for lines. What a plane has of a line is a word of a
/// line, with its thread's epoch.
#pragma once

#include "capture/runtime/online/line.hpp"
#include "capture/runtime/online/planes.hpp"

namespace omen::rt::online {

class PlaneLine {
 public:
  EpochAndBytes word;

  OMEN_INLINE LineWord load() const { return Line::load(word, older_); }
  OMEN_INLINE void store(const LineWord& next) { Line::store(word, older_, next); }

 private:
  std::atomic<u64> older_;
};
static_assert(sizeof(PlaneLine) == 32);

using LinePlanes = Planes<kLineSize, sizeof(PlaneLine), PlaneLine>;
extern LinePlanes line_planes;

}  // namespace omen::rt::online
