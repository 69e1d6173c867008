/// \file
/// One event of a trace: who did what to which object, and where in the source.
#pragma once

#include <cstdint>

#include "trace/ids.hpp"
#include "trace/operation.hpp"

namespace omen {

struct Event {
  ThreadId thread{};
  std::uint32_t operand = 0;  ///< an id of the kind that `traits(op).operand` says; 0 where that is None
  LocationId location{};
  Op op = Op::Read;
  MemoryOrder order = MemoryOrder::Relaxed;
  /// Set by `WellFormedness`, never stored: this acquire (or release) of a lock that the thread holds already (or still
  /// holds after) begins or ends no critical section. Analyses skip such events.
  bool nested = false;
  std::uint8_t unused = 0;

  VariableId variable() const { return VariableId{operand}; }
  LockId lock() const { return LockId{operand}; }
  ThreadId target() const { return ThreadId{operand}; }
  BarrierId barrier() const { return BarrierId{operand}; }
  AtomicId atomic() const { return AtomicId{operand}; }

  bool operator==(const Event&) const = default;
};
static_assert(sizeof(Event) == 16, "four events share a cache line");

}  // namespace omen
