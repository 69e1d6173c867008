/// \file
/// Expressions of a value trace as terms of Z3: bit-vectors of the same widths, with the meaning that
/// trace/values/expression.hpp states. Tested against the evaluator there, operator by operator.
#pragma once

#include <functional>
#include <unordered_map>

#include "relax/z3.hpp"
#include "trace/values/expression.hpp"

namespace omen::relax {

class ExpressionEncoder {
 public:
  /// `value` gives the term of an SSA value; it may call back for what the value was assigned.
  using ValueTerm = std::function<z3::expr(values::ValueId)>;

  ExpressionEncoder(z3::context& context, const values::Expressions& expressions, ValueTerm value)
      : context_(context), expressions_(expressions), value_(std::move(value)) {}

  z3::expr encode(values::ExprId id);
  z3::expr constant(values::Width width, std::uint64_t bits);

 private:
  z3::expr make(const values::Expr& e);

  z3::context& context_;
  const values::Expressions& expressions_;
  ValueTerm value_;
  std::unordered_map<std::uint32_t, z3::expr> known_;
};

}  // namespace omen::relax
