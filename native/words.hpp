/// \file
/// What the interpreter computes with: a concrete value, and the expression that gives it from what the thread has
/// read; no expression if it depends on nothing that was read.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "trace/values/value_trace.hpp"

namespace omen::native {

struct Word {
  std::uint64_t bits = 0;
  values::ExprId expr = values::kNoExpr;
  bool is_undefined = false;  ///< LLVM's undef or poison: the program may have any value in its place

  bool is_constant() const { return expr == values::kNoExpr; }
};

/// Of an instruction: one word, or the two of a pair.
struct Result {
  Word word;
  Word second;
};

/// Expressions of one thread. Large ones become assignments, so that no expression is deep.
class Words {
 public:
  Words(values::ValueTrace& trace, ThreadId thread, std::vector<values::ValueEvent>& locals)
      : trace_(trace), thread_(thread), locals_(&locals) {}

  /// The thread was run before, and its values began with this one: they are taken again.
  void take_values_again(std::size_t first) { known_value_ = first; }
  /// From here on values are new ones, and what the thread does by itself goes there.
  void leave_the_recording(std::vector<values::ValueEvent>& locals) {
    known_value_.reset();
    locals_ = &locals;
  }

  /// Where the acts that follow are in the source.
  void at(LocationId location) { location_ = location; }

  Word unary(values::ExprOp op, values::Width width, Word a);
  Word binary(values::ExprOp op, values::Width width, Word a, Word b);  ///< `width` of the operands
  Word resize(values::ExprOp op, values::Width from, values::Width to, Word a);
  Word choose(Word condition, values::Width width, Word then, Word otherwise);

  /// The same, so small that a few operations more need no assignment.
  Word shallow(Word word, values::Width width);

  /// From now on it has the value that it had.
  Word fix(Word word);
  void branch(Word condition);
  /// A value of its own, for what a read gives.
  values::ValueId new_value(values::Width width) {
    return known_value_ ? values::ValueId{static_cast<std::uint32_t>((*known_value_)++)}
                        : trace_.expressions.new_value(width);
  }
  Word of_value(values::ValueId value, std::uint64_t bits) { return {bits, trace_.expressions.value(value), false}; }
  values::ExprId expr(Word word, values::Width width) {
    return word.is_constant() ? trace_.expressions.constant(width, word.bits) : word.expr;
  }
  std::uint64_t fixes() const { return fixes_; }
  std::uint64_t branches() const { return branches_; }

 private:
  Word made(values::ExprId expr, std::uint64_t bits);

  values::ValueTrace& trace_;
  ThreadId thread_;
  std::vector<values::ValueEvent>* locals_;
  LocationId location_{};
  std::optional<std::size_t> known_value_;
  std::vector<std::uint8_t> depth_;  ///< by ExprId, of those that this thread made
  std::vector<bool> fixed_;          ///< by ExprId
  std::uint64_t fixes_ = 0;
  std::uint64_t branches_ = 0;
};

}  // namespace omen::native
