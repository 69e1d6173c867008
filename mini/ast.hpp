/// \file
/// The syntax tree of a mini program, as the parser builds it and the checker completes it.
/// Fields under "set by the checker" are valid only after `check` has accepted the program.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mini/arithmetic.hpp"
#include "mini/type.hpp"

namespace omen::mini {

struct Position {
  std::uint32_t line = 0;  ///< both count from 1; 0 if there is no such place in the source
  std::uint32_t column = 0;
  auto operator<=>(const Position&) const = default;
};

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

struct Expression {
  enum class Kind : std::uint8_t {
    Literal,  ///< number
    Boolean,  ///< number
    Null,
    Name,     ///< name
    Field,    ///< parts[0].name
    Element,  ///< parts[0][parts[1]]; parts[0] is a Name or a Field
    Unary,    ///< unary parts[0]
    Binary,   ///< parts[0] binary parts[1]
    Convert,  ///< to(parts[0])
    Call,     ///< name(parts…)
    New,      ///< new name
  };
  Kind kind{};
  Position at;
  std::uint64_t number = 0;
  std::string name;
  UnaryOp unary{};
  BinaryOp binary{};
  Scalar to{};
  std::vector<ExpressionPtr> parts;
  unsigned height = 1;  ///< of this tree; bounded by the parser, so that recursion over trees is safe

  // set by the checker
  Type type;
  bool local = false;       ///< of a Name: a local variable
  std::uint32_t index = 0;  ///< of a Name its slot or shared variable; of a Field its field; of a Call its function;
                            ///< of New its struct
};

/// A type as written in the source.
struct TypeName {
  std::string text;
  Position at;
};

struct Statement {
  enum class Kind : std::uint8_t {
    Declare,  ///< declared name = value
    Assign,   ///< target = value
    Update,   ///< target op= value
    If,       ///< value, body, otherwise
    While,    ///< value, body
    Return,   ///< value, or none
    Lock,     ///< target
    Unlock,   ///< target
    Spawn,    ///< target is the call, value the new thread's number
    Wait,     ///< value is a thread's number
    Assert,   ///< value
    Print,    ///< value
    Call,     ///< target
    Block,    ///< body
  };
  Kind kind{};
  Position at;
  TypeName declared;
  std::string name;
  BinaryOp op{};
  Position operator_at;  ///< of an Update: where it writes; it reads at `target->at`
  ExpressionPtr target;
  ExpressionPtr value;
  std::vector<Statement> body;
  std::vector<Statement> otherwise;

  // set by the checker
  std::uint32_t slot = 0;  ///< of a declared variable
  Type type;
};

/// A shared variable, a field or a parameter. A lock if `is_lock`; an array if it has a size.
struct Variable {
  Position at;
  bool is_lock = false;
  TypeName declared;
  std::string name;
  std::optional<std::uint32_t> size;
  std::vector<ExpressionPtr> initial;  ///< literals; the rest is 0

  // set by the checker
  Type type;
  std::uint32_t cell = 0;  ///< its first cell, among the shared variables or in its object
  std::vector<std::uint64_t> values;

  std::uint32_t cells() const { return size.value_or(1); }
};

struct Structure {
  Position at;
  std::string name;
  std::vector<Variable> fields;

  // set by the checker
  std::uint32_t cells = 0;
};

struct Function {
  Position at;
  TypeName returned;
  std::string name;
  std::vector<Variable> parameters;
  std::vector<Statement> body;

  // set by the checker
  Type type;
  std::uint32_t slots = 0;  ///< parameters come first
};

struct Program {
  std::string file;  ///< its name in messages and locations
  std::vector<Variable> shared;
  std::vector<Structure> structures;
  std::vector<Function> functions;

  // set by the checker
  std::uint32_t main = 0;
  std::uint32_t cells = 0;
};

/// The largest number of a thread; main has 0. The program chooses the numbers (`spawn f() as 3`), so that a
/// thread has the same name in every schedule.
inline constexpr std::uint32_t kMaxThread = 255;
inline constexpr std::uint32_t kMaxCells = 1U << 16;  ///< of all shared variables together, and of one object

inline constexpr std::uint32_t kMaxLocals = 4096;  ///< of one function

}  // namespace omen::mini
