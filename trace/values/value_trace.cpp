#include "trace/values/value_trace.hpp"

#include "trace/error.hpp"

namespace omen::values {

VariableId ValueTrace::cell(std::string_view name, Width width, std::uint64_t initial) {
  const std::uint32_t id = names.of(OperandKind::Variable).intern(name);
  if (id == cells.size()) cells.push_back({width, initial & mask(width)});
  return VariableId{id};
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

Op op_of(Act act) {
  switch (act) {
    case Act::Read:
      return Op::Read;
    case Act::Write:
      return Op::Write;
    case Act::Acquire:
      return Op::Acquire;
    case Act::Release:
      return Op::Release;
    case Act::Fork:
      return Op::Fork;
    case Act::Join:
      return Op::Join;
    case Act::Begin:
      return Op::Begin;
    case Act::End:
      return Op::End;
    case Act::Assign:
    case Act::Branch:
    case Act::Fix:
      break;
  }
  internal_error(__FILE__, __LINE__, "a local act has no operation");
}

Projection project(const ValueTrace& trace) {
  Projection result;
  Names& names = result.trace.names;
  for (const OperandKind kind : {OperandKind::Variable, OperandKind::Lock, OperandKind::Thread}) {
    const NameTable& table = trace.names.of(kind);
    for (std::uint32_t id = 0; id < table.size(); ++id) names.of(kind).intern(table[id]);
  }
  const NameTable& locations = trace.names.locations();
  for (std::uint32_t id = 0; id < locations.size(); ++id) names.locations().intern(locations[id]);
  for (std::uint32_t i = 0; i < trace.size(); ++i) {
    const ValueEvent& e = trace.events[i];
    if (is_local(e.act)) continue;
    result.trace.events.push_back(
        {.thread = e.thread, .operand = e.operand, .location = e.location, .op = op_of(e.act)});
    result.event.push_back(i);
  }
  return result;
}

}  // namespace omen::values
