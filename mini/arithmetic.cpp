#include "mini/arithmetic.hpp"

#include "trace/error.hpp"

namespace omen::mini {
namespace {

std::uint64_t divide(BinaryOp op, Scalar type, std::uint64_t a, std::uint64_t b) {
  OMEN_CHECK(b != 0);
  if (!is_signed(type)) return op == BinaryOp::Div ? a / b : a % b;
  const std::int64_t x = as_signed(type, a);
  const std::int64_t y = as_signed(type, b);
  if (y == -1) return op == BinaryOp::Div ? std::uint64_t{0} - a : 0;  // the only quotient that may overflow
  return static_cast<std::uint64_t>(op == BinaryOp::Div ? x / y : x % y);
}

std::uint64_t shift(BinaryOp op, Scalar type, std::uint64_t a, std::uint64_t b) {
  const std::uint64_t count = b % width(type);
  if (op == BinaryOp::Shl) return a << count;
  return is_signed(type) ? static_cast<std::uint64_t>(as_signed(type, a) >> count) : a >> count;
}

bool less(Scalar type, std::uint64_t a, std::uint64_t b) {
  return is_signed(type) ? as_signed(type, a) < as_signed(type, b) : a < b;
}

}  // namespace

std::uint64_t apply(UnaryOp op, Scalar type, std::uint64_t a) {
  switch (op) {
    case UnaryOp::Negate:
      return fit(type, std::uint64_t{0} - a);
    case UnaryOp::Complement:
      return fit(type, ~a);
    case UnaryOp::Not:
      return a == 0 ? 1 : 0;
  }
  OMEN_CHECK(false);
  return 0;
}

std::uint64_t apply(BinaryOp op, Scalar type, std::uint64_t a, std::uint64_t b) {
  switch (op) {
    case BinaryOp::Mul:
      return fit(type, a * b);
    case BinaryOp::Div:
    case BinaryOp::Rem:
      return fit(type, divide(op, type, a, b));
    case BinaryOp::Add:
      return fit(type, a + b);
    case BinaryOp::Sub:
      return fit(type, a - b);
    case BinaryOp::Shl:
    case BinaryOp::Shr:
      return fit(type, shift(op, type, a, b));
    case BinaryOp::Less:
      return less(type, a, b) ? 1 : 0;
    case BinaryOp::LessEqual:
      return less(type, b, a) ? 0 : 1;
    case BinaryOp::Greater:
      return less(type, b, a) ? 1 : 0;
    case BinaryOp::GreaterEqual:
      return less(type, a, b) ? 0 : 1;
    case BinaryOp::Equal:
      return a == b ? 1 : 0;
    case BinaryOp::NotEqual:
      return a != b ? 1 : 0;
    case BinaryOp::And:
    case BinaryOp::LogicalAnd:
      return a & b;
    case BinaryOp::Xor:
      return a ^ b;
    case BinaryOp::Or:
    case BinaryOp::LogicalOr:
      return a | b;
  }
  OMEN_CHECK(false);
  return 0;
}

}  // namespace omen::mini
