#include <string>

#include "trace/values/value_trace.hpp"

namespace omen::values {
namespace {

std::string value_name(ValueId value) {
  return "%" + std::to_string(static_cast<std::uint32_t>(value));
}

void append(std::string& out, ExprId id, const Expressions& expressions) {
  const Expr& e = expressions[id];
  if (e.op == ExprOp::Constant) {
    out += std::to_string(e.bits) + ":" + std::to_string(e.width);
    return;
  }
  if (e.op == ExprOp::Value) {
    out += value_name(ValueId{static_cast<std::uint32_t>(e.bits)});
    return;
  }
  const ExprTraits& t = traits(e.op);
  out += "(";
  out += t.name;
  if (t.shape == ExprShape::Extend || t.shape == ExprShape::Cut) out += std::to_string(e.width);
  for (std::size_t i = 0; i < operands(e.op); ++i) {
    out += " ";
    append(out, e.of[i], expressions);
  }
  out += ")";
}

/// The operand of an act of the event model, in the notation of STD.
std::string sync_text(const ValueEvent& e, const ValueTrace& trace) {
  const OpTraits& op = omen::traits(op_of(e.act));
  std::string text(op.name);
  if (op.operand != OperandKind::None) text += "(" + trace.names.of(op.operand)[e.operand] + ")";
  return text;
}

std::string act_text(const ValueEvent& e, const ValueTrace& trace) {
  const auto expr = [&] { return to_text(e.expr, trace.expressions); };
  const std::string gives = " -> " + std::to_string(e.recorded);
  const auto atomic = [&] { return trace.names.of(OperandKind::Atomic)[e.operand]; };
  switch (e.act) {
    case Act::Read:
      if (e.value == kNoValue) return "read " + trace.names.of(e.variable());
      return value_name(e.value) + " = read " + trace.names.of(e.variable()) + gives;
    case Act::Write:
      if (e.expr == kNoExpr) return "write " + trace.names.of(e.variable());
      return "write " + trace.names.of(e.variable()) + " = " + expr() + gives;
    case Act::AtomicLoad:
      if (e.value == kNoValue) return "load " + atomic();
      return value_name(e.value) + " = load " + atomic() + gives;
    case Act::AtomicStore:
      if (e.expr == kNoExpr) return "store " + atomic();
      return "store " + atomic() + " = " + expr() + gives;
    case Act::AtomicRmw:
      if (e.value == kNoValue) return "rmw " + atomic();
      return value_name(e.value) + " = rmw " + atomic() + gives + " = " + expr() + " -> " + std::to_string(e.stored);
    case Act::Assign:
      return value_name(e.value) + " = " + expr() + gives;
    case Act::Branch:
      return "branch " + expr() + gives;
    case Act::Fix:
      return "fix " + expr() + gives;
    default:
      return sync_text(e, trace);
  }
}

}  // namespace

std::string to_text(ExprId expr, const Expressions& expressions) {
  std::string out;
  append(out, expr, expressions);
  return out;
}

std::string to_text(const ValueEvent& event, const ValueTrace& trace) {
  return trace.names.of(event.thread) + "|" + act_text(event, trace) + "|" + trace.names.text(event.location);
}

}  // namespace omen::values
