/// \file
/// Expressions of a value trace: bit-vectors of the program's own widths with the operators of C.
///
/// One arena holds all expressions of a trace; an expression is an id, equal expressions have equal ids, operands have
/// smaller ids than expressions that use them. Semantics, the same here, in the interpreters and in the solver:
/// - Values are bit patterns of 1, 8, 16, 32 or 64 bits, kept zero-extended in 64. All arithmetic wraps around.
/// - Both operands of a binary operator have the same width. Comparisons have width 1.
/// - A shift count is taken modulo the width (of 1 bit: no shift). Signed shifts to the right fill with the sign.
/// - Division by zero has SMT-LIB's meaning, so that every expression has a value: unsigned x/0 is all ones, signed x/0
///   is 1 for a negative x and -1 otherwise, the remainder is x. No program relies on it: a front end adds a branch on
///   the divisor before the division. The smallest signed number divided by -1 is itself, with remainder 0.
/// - Signed division rounds towards zero, the remainder has the dividend's sign.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace omen::values {

enum class ExprId : std::uint32_t {};   ///< of an expression in its arena
enum class ValueId : std::uint32_t {};  ///< of an SSA value, which a read or an assignment defines
inline constexpr ExprId kNoExpr{~std::uint32_t{0}};
inline constexpr ValueId kNoValue{~std::uint32_t{0}};

using Width = std::uint8_t;  ///< 1, 8, 16, 32 or 64 bits

constexpr bool is_width(std::uint64_t bits) {
  return bits == 1 || bits == 8 || bits == 16 || bits == 32 || bits == 64;
}
constexpr std::uint64_t mask(Width width) {
  return width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}
/// The pattern interpreted as a signed number.
constexpr std::int64_t as_signed(std::uint64_t bits, Width width) {
  const std::uint64_t sign = std::uint64_t{1} << (width - 1);
  return static_cast<std::int64_t>((bits ^ sign) - sign);
}

enum class ExprOp : std::uint8_t {
  Constant,
  Value,
  Not,
  Neg,
  Add,
  Sub,
  Mul,
  UDiv,
  SDiv,
  URem,
  SRem,
  And,
  Or,
  Xor,
  Shl,
  LShr,
  AShr,
  Eq,
  Ne,
  ULt,
  ULe,
  SLt,
  SLe,
  ZExt,
  SExt,
  Trunc,
  Ite,
};
inline constexpr std::size_t kExprOpCount = 27;

/// The operand and result widths of an operator.
enum class ExprShape : std::uint8_t {
  Leaf,     ///< constants and values
  Unary,    ///< w -> w
  Binary,   ///< w, w -> w
  Compare,  ///< w, w -> 1
  Extend,   ///< to a greater width, or the same
  Cut,      ///< to a smaller width, or the same
  Choose,   ///< 1, w, w -> w
};

struct ExprTraits {
  ExprOp op;
  std::string_view name;  ///< in the text format; extensions and cuts have the new width after it: `zext32`
  ExprShape shape;
};

inline constexpr std::array<ExprTraits, kExprOpCount> kExprTraits{{
    {ExprOp::Constant, "constant", ExprShape::Leaf}, {ExprOp::Value, "value", ExprShape::Leaf},
    {ExprOp::Not, "not", ExprShape::Unary},          {ExprOp::Neg, "neg", ExprShape::Unary},
    {ExprOp::Add, "add", ExprShape::Binary},         {ExprOp::Sub, "sub", ExprShape::Binary},
    {ExprOp::Mul, "mul", ExprShape::Binary},         {ExprOp::UDiv, "udiv", ExprShape::Binary},
    {ExprOp::SDiv, "sdiv", ExprShape::Binary},       {ExprOp::URem, "urem", ExprShape::Binary},
    {ExprOp::SRem, "srem", ExprShape::Binary},       {ExprOp::And, "and", ExprShape::Binary},
    {ExprOp::Or, "or", ExprShape::Binary},           {ExprOp::Xor, "xor", ExprShape::Binary},
    {ExprOp::Shl, "shl", ExprShape::Binary},         {ExprOp::LShr, "lshr", ExprShape::Binary},
    {ExprOp::AShr, "ashr", ExprShape::Binary},       {ExprOp::Eq, "eq", ExprShape::Compare},
    {ExprOp::Ne, "ne", ExprShape::Compare},          {ExprOp::ULt, "ult", ExprShape::Compare},
    {ExprOp::ULe, "ule", ExprShape::Compare},        {ExprOp::SLt, "slt", ExprShape::Compare},
    {ExprOp::SLe, "sle", ExprShape::Compare},        {ExprOp::ZExt, "zext", ExprShape::Extend},
    {ExprOp::SExt, "sext", ExprShape::Extend},       {ExprOp::Trunc, "trunc", ExprShape::Cut},
    {ExprOp::Ite, "ite", ExprShape::Choose},
}};

constexpr const ExprTraits& traits(ExprOp op) {
  return kExprTraits[static_cast<std::size_t>(op)];
}

/// The number of operands; 0 for leaves.
constexpr std::size_t operands(ExprOp op) {
  switch (traits(op).shape) {
    case ExprShape::Leaf:
      return 0;
    case ExprShape::Unary:
    case ExprShape::Extend:
    case ExprShape::Cut:
      return 1;
    case ExprShape::Binary:
    case ExprShape::Compare:
      return 2;
    case ExprShape::Choose:
      return 3;
  }
  return 0;
}

struct Expr {
  ExprOp op = ExprOp::Constant;
  Width width = 1;                                      ///< of the result
  std::array<ExprId, 3> of{kNoExpr, kNoExpr, kNoExpr};  ///< operands; of `Ite`: condition, then, else
  std::uint64_t bits = 0;                               ///< a constant's pattern, or a value's id

  bool operator==(const Expr&) const = default;
};

/// One operator on concrete operands. `width` is that of the result, `from` that of the (last) operand.
std::uint64_t apply(ExprOp op, Width width, Width from, std::uint64_t a, std::uint64_t b = 0, std::uint64_t c = 0);

class Expressions {
 public:
  ValueId new_value(Width width);
  std::size_t values() const { return value_widths_.size(); }
  Width width(ValueId value) const { return value_widths_[static_cast<std::size_t>(value)]; }

  /// Widths must fit (`fits`); a violation is a bug of the caller.
  ExprId constant(Width width, std::uint64_t bits);
  ExprId value(ValueId value);
  ExprId unary(ExprOp op, ExprId a);
  ExprId binary(ExprOp op, ExprId a, ExprId b);  ///< including comparisons
  ExprId resize(ExprOp op, Width width, ExprId a);
  ExprId choose(ExprId condition, ExprId then, ExprId otherwise);

  /// True if the operands' widths fit the operator. For readers. `width` is the new width of a resize, otherwise
  /// ignored.
  bool fits(ExprOp op, Width width, ExprId a, ExprId b = kNoExpr, ExprId c = kNoExpr) const;

  const Expr& operator[](ExprId id) const { return nodes_[static_cast<std::size_t>(id)]; }
  Width width(ExprId id) const { return (*this)[id].width; }
  std::size_t size() const { return nodes_.size(); }

  /// The value of an expression, given that SSA value i is `values[i]`.
  std::uint64_t evaluate(ExprId id, const std::vector<std::uint64_t>& values) const;

  /// Appends the SSA values that occur in it, perhaps with duplicates.
  void values_in(ExprId id, std::vector<ValueId>& out) const;

 private:
  struct Hash {
    std::size_t operator()(const Expr& e) const;
  };

  ExprId intern(const Expr& expr);

  std::vector<Expr> nodes_;
  std::unordered_map<Expr, ExprId, Hash> known_;
  std::vector<Width> value_widths_;
};

}  // namespace omen::values
