#include "native/words.hpp"

#include <algorithm>

namespace omen::native {

using values::Act;
using values::ExprId;
using values::ExprOp;
using values::kNoExpr;
using values::kNoValue;
using values::ValueEvent;
using values::Width;

namespace {
constexpr std::uint8_t kDeepest = 24;  ///< expressions above that become assignments
}

Word Words::made(ExprId id, std::uint64_t bits) {
  const values::Expr expr = trace_.expressions[id];
  if (expr.op == ExprOp::Constant) return {bits, kNoExpr, false};
  if (depth_.size() < trace_.expressions.size()) depth_.resize(trace_.expressions.size(), 0);
  std::uint8_t depth = 0;
  for (std::size_t i = 0; i < values::operands(expr.op); ++i) {
    depth = std::max(depth, static_cast<std::uint8_t>(depth_[static_cast<std::size_t>(expr.of[i])] + 1));
  }
  depth_[static_cast<std::size_t>(id)] = depth;
  if (depth < kDeepest) return {bits, id, false};
  const values::ValueId value = new_value(expr.width);
  locals_->push_back({thread_, Act::Assign, 0, location_, id, value, bits});
  return of_value(value, bits);
}

Word Words::shallow(Word word, Width width) {
  if (word.is_constant() || static_cast<std::size_t>(word.expr) >= depth_.size()) return word;
  if (depth_[static_cast<std::size_t>(word.expr)] < kDeepest / 2) return word;
  const values::ValueId value = new_value(width);
  locals_->push_back({thread_, Act::Assign, 0, location_, word.expr, value, word.bits});
  return of_value(value, word.bits);
}

Word Words::unary(ExprOp op, Width width, Word a) {
  const std::uint64_t bits = values::apply(op, width, width, a.bits);
  if (a.is_constant()) return {bits, kNoExpr, false};
  return made(trace_.expressions.unary(op, a.expr), bits);
}

Word Words::binary(ExprOp op, Width width, Word a, Word b) {
  const Width result = values::traits(op).shape == values::ExprShape::Compare ? Width{1} : width;
  const std::uint64_t bits = values::apply(op, result, width, a.bits, b.bits);
  if (a.is_constant() && b.is_constant()) return {bits, kNoExpr, false};
  return made(trace_.expressions.binary(op, expr(a, width), expr(b, width)), bits);
}

Word Words::resize(ExprOp op, Width from, Width to, Word a) {
  if (from == to) return a;
  const std::uint64_t bits = values::apply(op, to, from, a.bits);
  if (a.is_constant()) return {bits, kNoExpr, false};
  return made(trace_.expressions.resize(op, to, a.expr), bits);
}

Word Words::choose(Word condition, Width width, Word then, Word otherwise) {
  if (condition.is_constant()) return condition.bits != 0 ? then : otherwise;
  const std::uint64_t bits = condition.bits != 0 ? then.bits : otherwise.bits;
  return made(trace_.expressions.choose(condition.expr, expr(then, width), expr(otherwise, width)), bits);
}

Word Words::fix(Word word) {
  if (word.is_constant()) return word;
  const auto id = static_cast<std::size_t>(word.expr);
  if (fixed_.size() <= id) fixed_.resize(trace_.expressions.size(), false);
  if (!fixed_[id]) {
    fixed_[id] = true;
    ++fixes_;
    locals_->push_back({thread_, Act::Fix, 0, location_, word.expr, kNoValue, word.bits});
  }
  return {word.bits, kNoExpr, false};
}

void Words::branch(Word condition) {
  if (condition.is_constant()) return;
  ++branches_;
  locals_->push_back({thread_, Act::Branch, 0, location_, condition.expr, kNoValue, condition.bits});
}

}  // namespace omen::native
