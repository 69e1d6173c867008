/// \file
/// One event of a trace: a thread, its operation, the object, and the source location.
#pragma once

#include <cstdint>
#include <string>

#include "trace/ids.hpp"
#include "trace/operation.hpp"

namespace omen {

struct Event {
  ThreadId thread{};
  std::uint32_t operand = 0;  ///< an id of the kind `traits(op).operand`; 0 if that is None
  LocationId location{};
  Op op = Op::Read;
  MemoryOrder order = MemoryOrder::Relaxed;
  /// Set by `WellFormedness`, never stored: this acquire (or release) of a lock that the thread already holds (or still
  /// holds afterwards) begins or ends no critical section. Analyses skip such events.
  bool nested = false;
  /// A read, a write or a read-modify-write that is part of an update: the value read influences only the value written
  /// to the same object (docs/event-model.md, "Updates").
  bool update = false;

  VariableId variable() const { return VariableId{operand}; }
  LockId lock() const { return LockId{operand}; }
  ThreadId target() const { return ThreadId{operand}; }
  BarrierId barrier() const { return BarrierId{operand}; }
  AtomicId atomic() const { return AtomicId{operand}; }

  bool operator==(const Event&) const = default;
};
/// Appends the suffixes of the operation's name in text: the memory order or "try", then "update", each after a dot.
inline void append_suffix(std::string& text, const Event& event) {
  if (const auto after = suffix(event.op, event.order); !after.empty()) text.append(".").append(after);
  if (event.update) text.append(".").append(kUpdateName);
}
static_assert(sizeof(Event) == 16, "four events share a cache line");

}  // namespace omen
