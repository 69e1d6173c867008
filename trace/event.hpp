/// \file
/// One event of a trace: who did what to which object, and where in the source.
#pragma once

#include <cstdint>
#include <string>

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
  /// A read, a write or a read-modify-write that is part of an update: what is read decides about nothing but what is
  /// written to the same place (docs/event-model.md, "Updates").
  bool update = false;

  VariableId variable() const { return VariableId{operand}; }
  LockId lock() const { return LockId{operand}; }
  ThreadId target() const { return ThreadId{operand}; }
  BarrierId barrier() const { return BarrierId{operand}; }
  AtomicId atomic() const { return AtomicId{operand}; }

  bool operator==(const Event&) const = default;
};
/// What stands behind the operation's name in text: the memory order or "try", then "update", each after a dot.
inline void append_suffix(std::string& text, const Event& event) {
  if (const auto after = suffix(event.op, event.order); !after.empty()) text.append(".").append(after);
  if (event.update) text.append(".").append(kUpdateName);
}
static_assert(sizeof(Event) == 16, "four events share a cache line");

}  // namespace omen
