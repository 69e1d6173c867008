/// \file
/// Value traces (docs/relaxation.md): a recorded execution with what it computed. The solver sees nothing else of a
/// program. Per thread an SSA sequence of reads, writes, assignments, branches and fixed values, with the
/// synchronisation events, all in the one order in which they were recorded.
///
/// Rules, checked by `check` (values_check.hpp) whenever a trace is loaded or recorded:
/// - Accesses and synchronisation events are a well-formed trace (trace/well_formed.hpp).
/// - A value is defined by one read or assignment, and used only by later events of the same thread.
/// - A branch's condition has width 1. What is written to a cell, and what is read from it, has the cell's width.
/// - Evaluating every expression in the recorded order gives the recorded values.
/// - An opaque cell has no values: nothing is known of them, so each read keeps its recorded last writer, and what is
///   written must be as it was: a front end fixes what a thread computed before it writes to one. A write to another
///   cell may have no value either; no read may see it then, nor an allocation or a free.
/// What a thread does is determined by what it read: two executions of it in which all branches and fixed values come
/// out alike are the same sequence of events. So a front end records a branch wherever control depends on a value (a
/// division by a value: a branch on "not zero", before it), and a `Fix` wherever a cell, a lock or a thread is chosen
/// by a value, or where something is not modelled.
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
  Branch,  ///< control went by expr, of width 1
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
  AtomicRmw,    ///< value = atomic, and in the same moment atomic = expr, which may use the value
};
inline constexpr std::size_t kActCount = 23;

/// Assignments, branches and fixed values: no other thread notices when they are executed.
constexpr bool is_local(Act act) {
  return act == Act::Assign || act == Act::Branch || act == Act::Fix;
}
constexpr bool is_access(Act act) {
  return act == Act::Read || act == Act::Write;
}
constexpr bool is_atomic(Act act) {
  return act == Act::AtomicLoad || act == Act::AtomicStore || act == Act::AtomicRmw;
}
/// It has a value, or could have one.
constexpr bool reads_memory(Act act) {
  return act == Act::Read || act == Act::AtomicLoad || act == Act::AtomicRmw;
}
constexpr bool writes_memory(Act act) {
  return act == Act::Write || act == Act::AtomicStore || act == Act::AtomicRmw;
}

struct ValueEvent {
  ThreadId thread{};
  Act act = Act::Read;
  std::uint32_t operand = 0;   ///< a variable, an atomic, a lock, a barrier or a thread, as the act has it; else 0
  LocationId location{};       ///< two accesses in a program have different locations: "p.mini:3:7"
  ExprId expr = kNoExpr;       ///< of a write, assignment, branch and fix
  ValueId value = kNoValue;    ///< what a read or assignment defines; a read of an opaque cell defines none
  std::uint64_t recorded = 0;  ///< what was read, written, assigned, fixed; of a branch whether expr held; else 0
  std::uint64_t stored = 0;    ///< of a read-modify-write: what was written

  VariableId variable() const { return VariableId{operand}; }
  LockId lock() const { return LockId{operand}; }
  ThreadId target() const { return ThreadId{operand}; }
  /// What was written.
  std::uint64_t written() const { return act == Act::AtomicRmw ? stored : recorded; }
};

/// A memory cell; its name is a variable's name: `x`, `a[3]`.
struct Cell {
  Width width = 32;  ///< 0: it is opaque
  std::uint64_t initial = 0;
  bool initial_known = true;  ///< else no read may see what the cell holds at first

  bool is_opaque() const { return width == 0; }
};

/// Another way a thread may go from one of its branches: these events instead of the branch and all that the thread
/// did after it.
///
/// `events[0]` is the branch itself, with `recorded` turned. All events are of one thread. Values that the thread
/// defined before the branch may be used; those defined after it may not. In branches, `recorded` is the way that this
/// path goes; in a `Fix` it is the value that the path assumes; in all other events it means nothing. The path ends
/// where something cannot be modelled exactly. Feasibility is not promised: the solver decides it.
struct Path {
  std::vector<ValueEvent> events;
  bool complete = false;  ///< the thread ends after the last event; so it can be joined
};

/// A path of a trace whose front end is not there any more.
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
  bool carries_paths = false;      ///< `paths` has what its front end found; perhaps nothing

  std::size_t size() const { return events.size(); }
  std::size_t threads() const { return names.of(OperandKind::Thread).size(); }
  /// Of an act that reads or writes memory.
  const Cell& cell_of(const ValueEvent& e) const { return (is_atomic(e.act) ? atomics : cells)[e.operand]; }

  // For front ends. Each of the events' functions appends one event.
  ThreadId thread(std::string_view name) { return ThreadId{names.of(OperandKind::Thread).intern(name)}; }
  LockId lock(std::string_view name) { return LockId{names.of(OperandKind::Lock).intern(name)}; }
  LocationId location(std::string_view text) { return names.intern_location(text); }
  /// The cell of this name; if it is new, with this width and initial value.
  VariableId cell(std::string_view name, Width width, std::uint64_t initial);
  AtomicId atomic(std::string_view name, Width width, std::uint64_t initial);

  ValueId read(ThreadId thread, VariableId cell, LocationId location, std::uint64_t recorded);
  void write(ThreadId thread, VariableId cell, ExprId expr, LocationId location, std::uint64_t recorded);
  ValueId assign(ThreadId thread, ExprId expr, LocationId location, std::uint64_t recorded);
  void branch(ThreadId thread, ExprId condition, LocationId location, bool taken);
  void fix(ThreadId thread, ExprId expr, LocationId location, std::uint64_t recorded);
  /// Everything else: with the id of its operand, 0 where it has none.
  void sync(ThreadId thread, Act act, std::uint32_t operand, LocationId location);
};

/// The accesses and synchronisation events alone, as a trace of the event model. The value trace's names, copied.
struct Projection {
  Trace trace;
  std::vector<std::uint32_t> event;  ///< of each event of `trace`: its index in the value trace
};
Projection project(const ValueTrace& trace);

/// The operation of the event model. Not for local acts.
Op op_of(Act act);
/// The event of the event model. Not for local acts. Atomics are sequentially consistent.
Event event_of(const ValueEvent& event);

/// `T1|write x = (add %3 1:32) -> 5|p.mini:3:7`: one event in the text format, without the line's end.
std::string to_text(const ValueEvent& event, const ValueTrace& trace);
std::string to_text(ExprId expr, const Expressions& expressions);

}  // namespace omen::values
