/// \file
/// Value traces (docs/relaxation.md): a recorded execution with the values that it computed. The solver uses nothing
/// else of a program. Each thread is an SSA sequence of reads, writes, assignments, branches and fixed values, with the
/// synchronisation events. The events of all threads are in one order, the recorded one.
///
/// Rules, checked by `check` (values_check.hpp) whenever a trace is loaded or recorded:
/// - Accesses and synchronisation events are a well-formed trace (trace/well_formed.hpp).
/// - A value is defined by one read or assignment, and used only by later events of the same thread.
/// - A branch's condition has width 1. Values written to a cell and read from it have the cell's width.
/// - Evaluating every expression in the recorded order gives the recorded values.
/// - An opaque cell has no values: its contents are unknown. So each read keeps its recorded last writer, and writes
///   must be unchanged: a front end fixes what a thread computed before it writes to such a cell. A write to another
///   cell may also lack a value; then no read may see it, nor an allocation or a free.
/// The values that a thread reads determine what it does: two executions of it in which all branches and fixed values
/// are equal are the same sequence of events. So a front end records a branch wherever control depends on a value (for
/// a division by a value: a branch on "not zero", before it), and a `Fix` wherever a value chooses a cell, a lock or a
/// thread, or where something is not modelled.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/names.hpp"
#include "trace/trace.hpp"
#include "trace/values/expression.hpp"

namespace omen::values {

enum class Act : std::uint8_t {
  Read,    ///< value = cell
  Write,   ///< cell = expr
  Assign,  ///< value = expr
  Branch,  ///< control depends on expr, of width 1
  Fix,     ///< expr had the recorded value and must keep it: an index, a base address, anything not modelled
  Acquire,
  Release,
  Fork,
  Join,
  Begin,
  End,
  AcquireShared,
  ReleaseShared,
  Wait,
  Wake,
  BarrierArrive,
  BarrierLeave,
  Fence,
  Allocate,
  Free,
  AtomicLoad,   ///< value = atomic
  AtomicStore,  ///< atomic = expr
  AtomicRmw,    ///< value = atomic, and atomically atomic = expr, which may use the value
};
inline constexpr std::size_t kActCount = 23;

/// Assignments, branches and fixed values: their execution is invisible to other threads.
constexpr bool is_local(Act act) {
  return act == Act::Assign || act == Act::Branch || act == Act::Fix;
}
constexpr bool is_access(Act act) {
  return act == Act::Read || act == Act::Write;
}
constexpr bool is_atomic(Act act) {
  return act == Act::AtomicLoad || act == Act::AtomicStore || act == Act::AtomicRmw;
}
/// The act reads memory; a read of an opaque cell has no value.
constexpr bool reads_memory(Act act) {
  return act == Act::Read || act == Act::AtomicLoad || act == Act::AtomicRmw;
}
constexpr bool writes_memory(Act act) {
  return act == Act::Write || act == Act::AtomicStore || act == Act::AtomicRmw;
}

struct ValueEvent {
  ThreadId thread{};
  Act act = Act::Read;
  std::uint32_t operand = 0;   ///< a variable, an atomic, a lock, a barrier or a thread, depending on the act; else 0
  LocationId location{};       ///< two accesses in a program have different locations: "p.mini:3:7"
  ExprId expr = kNoExpr;       ///< of a write, assignment, branch and fix
  ValueId value = kNoValue;    ///< what a read or assignment defines; a read of an opaque cell defines none
  std::uint64_t recorded = 0;  ///< the value read, written, assigned or fixed; for a branch whether expr held; else 0
  std::uint64_t stored = 0;    ///< for a read-modify-write: the value written

  VariableId variable() const { return VariableId{operand}; }
  LockId lock() const { return LockId{operand}; }
  ThreadId target() const { return ThreadId{operand}; }
  /// The value written.
  std::uint64_t written() const { return act == Act::AtomicRmw ? stored : recorded; }
};

/// A memory cell; its name is a variable's name: `x`, `a[3]`.
struct Cell {
  Width width = 32;  ///< 0: opaque
  std::uint64_t initial = 0;
  bool initial_known = true;  ///< if false, no read may see the initial value

  bool is_opaque() const { return width == 0; }
};

/// An alternative path of a thread from one of its branches: these events replace the branch and everything that the
/// thread did after it.
///
/// `events[0]` is the branch itself, with `recorded` inverted. All events are of one thread. They may use values that
/// the thread defined before the branch, but not after it. In branches `recorded` is the direction of the path, in a
/// `Fix` the value that the path assumes; in other events it is meaningless. The path ends where something cannot be
/// modelled exactly. It need not be feasible: the solver decides that.
struct Path {
  std::vector<ValueEvent> events;
  bool complete = false;  ///< the thread ends after the last event; so it can be joined
};

/// A path that is stored in the trace, for use without the front end.
struct CarriedPath {
  std::size_t branch = 0;  ///< the event
  Path path;
};

struct ValueTrace {
  Names names;                ///< of threads, variables (cells), atomics, locks, barriers and locations
  std::vector<Cell> cells;    ///< by VariableId
  std::vector<Cell> atomics;  ///< by AtomicId
  Expressions expressions;
  std::vector<ValueEvent> events;
  std::vector<CarriedPath> paths;  ///< in the order of their branches
  bool carries_paths = false;      ///< `paths` has all that the front end found, which may be none

  std::size_t size() const { return events.size(); }
  std::size_t threads() const { return names.of(OperandKind::Thread).size(); }
  /// The cell of an act that reads or writes memory.
  const Cell& cell_of(const ValueEvent& e) const { return (is_atomic(e.act) ? atomics : cells)[e.operand]; }

  // For front ends. Each event function appends one event.
  ThreadId thread(std::string_view name) { return ThreadId{names.of(OperandKind::Thread).intern(name)}; }
  LockId lock(std::string_view name) { return LockId{names.of(OperandKind::Lock).intern(name)}; }
  LocationId location(std::string_view text) { return names.intern_location(text); }
  /// The cell of this name; created with this width and initial value if it is new.
  VariableId cell(std::string_view name, Width width, std::uint64_t initial);
  AtomicId atomic(std::string_view name, Width width, std::uint64_t initial);

  ValueId read(ThreadId thread, VariableId cell, LocationId location, std::uint64_t recorded);
  void write(ThreadId thread, VariableId cell, ExprId expr, LocationId location, std::uint64_t recorded);
  ValueId assign(ThreadId thread, ExprId expr, LocationId location, std::uint64_t recorded);
  void branch(ThreadId thread, ExprId condition, LocationId location, bool taken);
  void fix(ThreadId thread, ExprId expr, LocationId location, std::uint64_t recorded);
  /// All other events: with the id of the operand, 0 if there is none.
  void sync(ThreadId thread, Act act, std::uint32_t operand, LocationId location);
};

/// Only the accesses and synchronisation events, as a trace of the event model, with a copy of the value trace's names.
struct Projection {
  Trace trace;
  std::vector<std::uint32_t> event;  ///< of each event of `trace`: its index in the value trace
};
Projection project(const ValueTrace& trace);

/// The act's operation in the event model. Not for local acts.
Op op_of(Act act);
/// The act's event in the event model. Not for local acts. Atomics are sequentially consistent.
Event event_of(const ValueEvent& event);

/// `T1|write x = (add %3 1:32) -> 5|p.mini:3:7`: one event in the text format, without a line feed.
std::string to_text(const ValueEvent& event, const ValueTrace& trace);
std::string to_text(ExprId expr, const Expressions& expressions);

}  // namespace omen::values
