#include "trace/values/expression.hpp"

#include "trace/error.hpp"

namespace omen::values {
namespace {

std::uint64_t signed_quotient(std::uint64_t a, std::uint64_t b, Width width) {
  const std::int64_t x = as_signed(a, width);
  const std::int64_t y = as_signed(b, width);
  if (y == 0) return x < 0 ? 1 : ~std::uint64_t{0};
  if (y == -1) return std::uint64_t{0} - a;  // the only quotient that can overflow
  return static_cast<std::uint64_t>(x / y);
}

std::uint64_t signed_remainder(std::uint64_t a, std::uint64_t b, Width width) {
  const std::int64_t x = as_signed(a, width);
  const std::int64_t y = as_signed(b, width);
  if (y == 0) return a;
  if (y == -1) return 0;
  return static_cast<std::uint64_t>(x % y);
}

}  // namespace

std::uint64_t apply(ExprOp op, Width width, Width from, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const std::uint64_t count = b % from;
  const auto result = [&]() -> std::uint64_t {
    switch (op) {
      case ExprOp::Constant:
      case ExprOp::Value:
        return a;
      case ExprOp::Not:
        return ~a;
      case ExprOp::Neg:
        return std::uint64_t{0} - a;
      case ExprOp::Add:
        return a + b;
      case ExprOp::Sub:
        return a - b;
      case ExprOp::Mul:
        return a * b;
      case ExprOp::UDiv:
        return b == 0 ? ~std::uint64_t{0} : a / b;
      case ExprOp::SDiv:
        return signed_quotient(a, b, from);
      case ExprOp::URem:
        return b == 0 ? a : a % b;
      case ExprOp::SRem:
        return signed_remainder(a, b, from);
      case ExprOp::And:
        return a & b;
      case ExprOp::Or:
        return a | b;
      case ExprOp::Xor:
        return a ^ b;
      case ExprOp::Shl:
        return a << count;
      case ExprOp::LShr:
        return a >> count;
      case ExprOp::AShr:
        return static_cast<std::uint64_t>(as_signed(a, from) >> count);
      case ExprOp::Eq:
        return a == b ? 1 : 0;
      case ExprOp::Ne:
        return a != b ? 1 : 0;
      case ExprOp::ULt:
        return a < b ? 1 : 0;
      case ExprOp::ULe:
        return a <= b ? 1 : 0;
      case ExprOp::SLt:
        return as_signed(a, from) < as_signed(b, from) ? 1 : 0;
      case ExprOp::SLe:
        return as_signed(a, from) <= as_signed(b, from) ? 1 : 0;
      case ExprOp::ZExt:
      case ExprOp::Trunc:
        return a;
      case ExprOp::SExt:
        return static_cast<std::uint64_t>(as_signed(a, from));
      case ExprOp::Ite:
        return a != 0 ? b : c;
    }
    OMEN_CHECK(false);
  }();
  return result & mask(width);
}

ValueId Expressions::new_value(Width width) {
  OMEN_CHECK(is_width(width));
  value_widths_.push_back(width);
  return ValueId{static_cast<std::uint32_t>(value_widths_.size() - 1)};
}

ExprId Expressions::constant(Width width, std::uint64_t bits) {
  OMEN_CHECK(is_width(width));
  return intern({ExprOp::Constant, width, {kNoExpr, kNoExpr, kNoExpr}, bits & mask(width)});
}

ExprId Expressions::value(ValueId value) {
  OMEN_CHECK(static_cast<std::size_t>(value) < value_widths_.size());
  return intern({ExprOp::Value,
                 width(value),
                 {kNoExpr, kNoExpr, kNoExpr},
                 static_cast<std::uint64_t>(static_cast<std::uint32_t>(value))});
}

ExprId Expressions::unary(ExprOp op, ExprId a) {
  OMEN_CHECK(traits(op).shape == ExprShape::Unary && fits(op, 0, a));
  return intern({op, width(a), {a, kNoExpr, kNoExpr}, 0});
}

ExprId Expressions::binary(ExprOp op, ExprId a, ExprId b) {
  OMEN_CHECK(operands(op) == 2 && fits(op, 0, a, b));
  return intern({op, traits(op).shape == ExprShape::Compare ? Width{1} : width(a), {a, b, kNoExpr}, 0});
}

ExprId Expressions::resize(ExprOp op, Width width, ExprId a) {
  OMEN_CHECK((traits(op).shape == ExprShape::Extend || traits(op).shape == ExprShape::Cut) && fits(op, width, a));
  if (width == this->width(a)) return a;
  return intern({op, width, {a, kNoExpr, kNoExpr}, 0});
}

ExprId Expressions::choose(ExprId condition, ExprId then, ExprId otherwise) {
  OMEN_CHECK(fits(ExprOp::Ite, 0, condition, then, otherwise));
  return intern({ExprOp::Ite, width(then), {condition, then, otherwise}, 0});
}

bool Expressions::fits(ExprOp op, Width width, ExprId a, ExprId b, ExprId c) const {
  switch (traits(op).shape) {
    case ExprShape::Leaf:
      return false;
    case ExprShape::Unary:
      return true;
    case ExprShape::Binary:
    case ExprShape::Compare:
      return this->width(a) == this->width(b);
    case ExprShape::Extend:
      return is_width(width) && width >= this->width(a);
    case ExprShape::Cut:
      return is_width(width) && width <= this->width(a);
    case ExprShape::Choose:
      return this->width(a) == 1 && this->width(b) == this->width(c);
  }
  return false;
}

std::uint64_t Expressions::evaluate(ExprId id, const std::vector<std::uint64_t>& values) const {
  const Expr& e = (*this)[id];
  if (e.op == ExprOp::Constant) return e.bits;
  if (e.op == ExprOp::Value) return values[e.bits];
  std::array<std::uint64_t, 3> of{};
  const std::size_t count = operands(e.op);
  for (std::size_t i = 0; i < count; ++i) of[i] = evaluate(e.of[i], values);
  return apply(e.op, e.width, width(e.of[count - 1]), of[0], of[1], of[2]);
}

void Expressions::values_in(ExprId id, std::vector<ValueId>& out) const {
  const Expr& e = (*this)[id];
  if (e.op == ExprOp::Value) out.push_back(ValueId{static_cast<std::uint32_t>(e.bits)});
  for (std::size_t i = 0; i < operands(e.op); ++i) values_in(e.of[i], out);
}

std::size_t Expressions::Hash::operator()(const Expr& e) const {
  std::uint64_t h = static_cast<std::uint64_t>(e.op) * 131 + e.width;
  for (const ExprId id : e.of) h = (h ^ static_cast<std::uint64_t>(id)) * 0x9e3779b97f4a7c15U;
  h = (h ^ e.bits) * 0x9e3779b97f4a7c15U;
  return static_cast<std::size_t>(h ^ (h >> 29));
}

ExprId Expressions::intern(const Expr& expr) {
  const auto [at, is_new] = known_.try_emplace(expr, ExprId{static_cast<std::uint32_t>(nodes_.size())});
  if (is_new) nodes_.push_back(expr);
  return at->second;
}

}  // namespace omen::values
