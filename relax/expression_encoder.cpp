#include "relax/expression_encoder.hpp"

#include "trace/error.hpp"

namespace omen::relax {

using values::Expr;
using values::ExprOp;

z3::expr ExpressionEncoder::constant(values::Width width, std::uint64_t bits) {
  return context_.bv_val(bits, width);
}

z3::expr ExpressionEncoder::encode(values::ExprId id) {
  const auto key = static_cast<std::uint32_t>(id);
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  const z3::expr term = make(expressions_[id]);
  known_.emplace(key, term);
  return term;
}

z3::expr ExpressionEncoder::make(const Expr& e) {
  if (e.op == ExprOp::Constant) return constant(e.width, e.bits);
  if (e.op == ExprOp::Value) return value_(values::ValueId{static_cast<std::uint32_t>(e.bits)});
  const z3::expr a = encode(e.of[0]);
  const values::Width from = expressions_.width(e.of[0]);
  const unsigned more = static_cast<unsigned>(e.width) - from;  // of extensions
  const auto b = [&] { return encode(e.of[1]); };
  // Widths are powers of two: modulo is a mask.
  const auto count = [&] { return b() & constant(from, std::uint64_t{from} - 1); };
  const auto bit = [&](const z3::expr& truth) { return z3::ite(truth, constant(1, 1), constant(1, 0)); };
  switch (e.op) {
    case ExprOp::Not:
      return ~a;
    case ExprOp::Neg:
      return -a;
    case ExprOp::Add:
      return a + b();
    case ExprOp::Sub:
      return a - b();
    case ExprOp::Mul:
      return a * b();
    case ExprOp::UDiv:
      return z3::udiv(a, b());
    case ExprOp::SDiv:
      return a / b();
    case ExprOp::URem:
      return z3::urem(a, b());
    case ExprOp::SRem:
      return z3::srem(a, b());
    case ExprOp::And:
      return a & b();
    case ExprOp::Or:
      return a | b();
    case ExprOp::Xor:
      return a ^ b();
    case ExprOp::Shl:
      return z3::shl(a, count());
    case ExprOp::LShr:
      return z3::lshr(a, count());
    case ExprOp::AShr:
      return z3::ashr(a, count());
    case ExprOp::Eq:
      return bit(a == b());
    case ExprOp::Ne:
      return bit(a != b());
    case ExprOp::ULt:
      return bit(z3::ult(a, b()));
    case ExprOp::ULe:
      return bit(z3::ule(a, b()));
    case ExprOp::SLt:
      return bit(z3::slt(a, b()));
    case ExprOp::SLe:
      return bit(z3::sle(a, b()));
    case ExprOp::ZExt:
      return z3::zext(a, more);
    case ExprOp::SExt:
      return z3::sext(a, more);
    case ExprOp::Trunc:
      return a.extract(e.width - 1U, 0);
    case ExprOp::Ite:
      return z3::ite(a == constant(1, 1), b(), encode(e.of[2]));
    case ExprOp::Constant:
    case ExprOp::Value:
      break;
  }
  OMEN_CHECK(false);
}

}  // namespace omen::relax
