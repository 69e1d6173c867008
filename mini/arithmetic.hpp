/// \file
/// The operators of the mini language on values. Everything is defined: sums, products and negations wrap around; a
/// shift's count is taken modulo the width, and `>>` of a signed number fills with its sign; division rounds towards 0;
/// the least number divided by -1 is itself, with remainder 0. Division by zero has no result.
/// The same operators as in trace/values/expression.hpp, implemented independently: the recorder's test compares them.
#pragma once

#include <cstdint>
#include <string_view>

#include "mini/type.hpp"

namespace omen::mini {

enum class UnaryOp : std::uint8_t { Negate, Complement, Not };

enum class BinaryOp : std::uint8_t {
  Mul,
  Div,
  Rem,
  Add,
  Sub,
  Shl,
  Shr,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Equal,
  NotEqual,
  And,
  Xor,
  Or,
  LogicalAnd,  ///< the logical ones evaluate their right side only if the left does not decide
  LogicalOr,
};

struct BinaryTraits {
  std::string_view text;
  int precedence;  ///< as in C; larger binds tighter
};
inline constexpr std::array<BinaryTraits, 18> kBinaryTraits{{
    {"*", 10},
    {"/", 10},
    {"%", 10},
    {"+", 9},
    {"-", 9},
    {"<<", 8},
    {">>", 8},
    {"<", 7},
    {"<=", 7},
    {">", 7},
    {">=", 7},
    {"==", 6},
    {"!=", 6},
    {"&", 5},
    {"^", 4},
    {"|", 3},
    {"&&", 2},
    {"||", 1},
}};
constexpr const BinaryTraits& traits(BinaryOp op) {
  return kBinaryTraits[static_cast<std::size_t>(op)];
}
constexpr std::string_view text(UnaryOp op) {
  return op == UnaryOp::Negate ? "-" : op == UnaryOp::Complement ? "~" : "!";
}
constexpr bool is_comparison(BinaryOp op) {
  return op >= BinaryOp::Less && op <= BinaryOp::NotEqual;
}
constexpr bool is_logical(BinaryOp op) {
  return op == BinaryOp::LogicalAnd || op == BinaryOp::LogicalOr;
}
constexpr bool divides(BinaryOp op) {
  return op == BinaryOp::Div || op == BinaryOp::Rem;
}

std::uint64_t apply(UnaryOp op, Scalar type, std::uint64_t a);

/// `type` is that of both operands. The result has that type, or is a bool for comparisons. Divisors are not zero.
std::uint64_t apply(BinaryOp op, Scalar type, std::uint64_t a, std::uint64_t b);

/// C's conversions; to bool: true if it is not 0.
constexpr std::uint64_t convert(Scalar from, Scalar to, std::uint64_t value) {
  if (to == Scalar::Bool) return value != 0 ? 1 : 0;
  return fit(to, is_signed(from) ? static_cast<std::uint64_t>(as_signed(from, value)) : value);
}

}  // namespace omen::mini
