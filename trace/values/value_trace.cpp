#include "trace/values/value_trace.hpp"

#include <array>
#include <optional>

#include "trace/error.hpp"

namespace omen::values {

VariableId ValueTrace::cell(std::string_view name, Width width, std::uint64_t initial) {
  const std::uint32_t id = names.of(OperandKind::Variable).intern(name);
  if (id == cells.size()) cells.push_back({width, width == 0 ? 0 : initial & mask(width)});
  return VariableId{id};
}

AtomicId ValueTrace::atomic(std::string_view name, Width width, std::uint64_t initial) {
  const std::uint32_t id = names.of(OperandKind::Atomic).intern(name);
  if (id == atomics.size()) atomics.push_back({width, width == 0 ? 0 : initial & mask(width)});
  return AtomicId{id};
}

ValueId ValueTrace::read(ThreadId thread, VariableId cell, LocationId location, std::uint64_t recorded) {
  const ValueId value = expressions.new_value(cells[index(cell)].width);
  events.push_back({thread, Act::Read, static_cast<std::uint32_t>(cell), location, kNoExpr, value, recorded});
  return value;
}

void ValueTrace::write(ThreadId thread, VariableId cell, ExprId expr, LocationId location, std::uint64_t recorded) {
  events.push_back({thread, Act::Write, static_cast<std::uint32_t>(cell), location, expr, kNoValue, recorded});
}

ValueId ValueTrace::assign(ThreadId thread, ExprId expr, LocationId location, std::uint64_t recorded) {
  const ValueId value = expressions.new_value(expressions.width(expr));
  events.push_back({thread, Act::Assign, 0, location, expr, value, recorded});
  return value;
}

void ValueTrace::branch(ThreadId thread, ExprId condition, LocationId location, bool taken) {
  events.push_back({thread, Act::Branch, 0, location, condition, kNoValue, taken ? 1U : 0U});
}

void ValueTrace::fix(ThreadId thread, ExprId expr, LocationId location, std::uint64_t recorded) {
  events.push_back({thread, Act::Fix, 0, location, expr, kNoValue, recorded});
}

void ValueTrace::sync(ThreadId thread, Act act, std::uint32_t operand, LocationId location) {
  events.push_back({thread, act, operand, location, kNoExpr, kNoValue, 0});
}

namespace {

/// Indexed by act; nothing for local ones.
constexpr std::array<std::optional<Op>, kActCount> kOps{
    Op::Read,          Op::Write, std::nullopt,   std::nullopt,      std::nullopt,     Op::Acquire,
    Op::Release,       Op::Fork,  Op::Join,       Op::Begin,         Op::End,          Op::AcquireShared,
    Op::ReleaseShared, Op::Wait,  Op::Wake,       Op::BarrierArrive, Op::BarrierLeave, Op::Fence,
    Op::Allocate,      Op::Free,  Op::AtomicLoad, Op::AtomicStore,   Op::AtomicRmw};

}  // namespace

Op op_of(Act act) {
  const std::optional<Op> op = kOps[static_cast<std::size_t>(act)];
  OMEN_CHECK(op.has_value());
  return *op;
}

Event event_of(const ValueEvent& e) {
  Event event{.thread = e.thread, .operand = e.operand, .location = e.location, .op = op_of(e.act)};
  if (is_atomic(e.act) || e.act == Act::Fence) event.order = MemoryOrder::SeqCst;
  return event;
}

Projection project(const ValueTrace& trace) {
  Projection result;
  Names& names = result.trace.names;
  for (const OperandKind kind :
       {OperandKind::Variable, OperandKind::Lock, OperandKind::Thread, OperandKind::Barrier, OperandKind::Atomic}) {
    const NameTable& table = trace.names.of(kind);
    for (std::uint32_t id = 0; id < table.size(); ++id) names.of(kind).intern(table[id]);
  }
  const NameTable& locations = trace.names.locations();
  for (std::uint32_t id = 0; id < locations.size(); ++id) names.locations().intern(locations[id]);
  for (std::uint32_t i = 0; i < trace.size(); ++i) {
    const ValueEvent& e = trace.events[i];
    if (is_local(e.act)) continue;
    result.trace.events.push_back(event_of(e));
    result.event.push_back(i);
  }
  return result;
}

}  // namespace omen::values
