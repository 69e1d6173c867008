/// \file
/// The clock that a thread published when it released a lock, stored together with others of that thread.
///
/// From one release to the next a thread often learns nothing. Then its clock changes only in its own component. So a
/// release clock is stored as that component, and the knowledge of the other threads, which releases share.
#pragma once

#include "analysis/clocks/vector_clock.hpp"

namespace omen {

struct ReleaseClock {
  const VectorClock& others;  ///< includes the thread's time at the first of the releases that share it
  Epoch own;                  ///< the release

  Time operator[](ThreadId t) const { return t == own.thread ? own.time : others[t]; }

  [[gnu::always_inline]] void join_into(VectorClock& clock) const {
    clock.join(others);
    if (!clock.covers(own)) clock.set(own.thread, own.time);
  }
  VectorClock copy() const {
    VectorClock whole = others;
    whole.set(own.thread, own.time);
    return whole;
  }
};

}  // namespace omen
