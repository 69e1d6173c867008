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

std::string act_text(const ValueEvent& e, const ValueTrace& trace) {
  const auto expr = [&] { return to_text(e.expr, trace.expressions); };
  const std::string gives = " -> " + std::to_string(e.recorded);
  switch (e.act) {
    case Act::Read:
      return value_name(e.value) + " = read " + trace.names.of(e.variable()) + gives;
    case Act::Write:
      return "write " + trace.names.of(e.variable()) + " = " + expr() + gives;
    case Act::Assign:
      return value_name(e.value) + " = " + expr() + gives;
    case Act::Branch:
      return "branch " + expr() + gives;
    case Act::Fix:
      return "fix " + expr() + gives;
    case Act::Acquire:
      return "acq(" + trace.names.of(e.lock()) + ")";
    case Act::Release:
      return "rel(" + trace.names.of(e.lock()) + ")";
    case Act::Fork:
      return "fork(" + trace.names.of(e.target()) + ")";
    case Act::Join:
      return "join(" + trace.names.of(e.target()) + ")";
    case Act::Begin:
      return "begin";
    case Act::End:
      return "end";
  }
  return "";
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
