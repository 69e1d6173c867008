/// \file
/// A mini program as instructions over registers: what the interpreter, the explorers and the recorder execute.
///
/// Evaluation is from left to right: of an assignment first the object and the index of its target, then its value,
/// then the write. Each access to shared memory is an instruction of its own, so it can be a step of its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mini/ast.hpp"

namespace omen::mini {

enum class OpCode : std::uint8_t {
  // local: other threads cannot observe when they are executed
  Constant,  ///< dst = immediate
  Copy,      ///< dst = a
  Unary,     ///< dst = unary a
  Binary,    ///< dst = a binary b
  Convert,   ///< dst = a, from `type` to `to`
  Jump,      ///< to `target`
  Branch,    ///< to `target` unless a
  NotZero,   ///< a fault if a is 0: precedes each division
  Assert,    ///< an assertion failure if a is 0
  Print,     ///< a
  New,       ///< dst = a new object of struct `target`
  Call,      ///< dst = routine `target` of the registers from a on
  Return,    ///< a, if the routine has a result
  // visible
  Load,    ///< dst = place `target`
  Store,   ///< place `target` = c
  Lock,    ///< place `target`
  Unlock,  ///< place `target`
  Spawn,   ///< routine `target` of the registers from a on, as thread c
  Wait,    ///< for thread c
};
constexpr bool is_visible(OpCode code) {
  return code >= OpCode::Load;
}

/// Control depends on its register a.
constexpr bool is_choice(OpCode code) {
  return code == OpCode::Branch || code == OpCode::NotZero || code == OpCode::Assert;
}

inline constexpr std::uint32_t kNoRegister = ~std::uint32_t{0};

struct Instruction {
  OpCode code{};
  Scalar type{};  ///< of the operands; of a Spawn and Wait that of the thread's number
  Scalar to{};
  UnaryOp unary{};
  BinaryOp binary{};
  bool loop = false;  ///< of a Branch: the condition of a `while`
  std::uint32_t dst = kNoRegister;
  std::uint32_t a = kNoRegister;  ///< of an access to an object's place: the object
  std::uint32_t b = kNoRegister;  ///< of an access to an array's place: the index
  std::uint32_t c = kNoRegister;
  std::uint32_t target = 0;
  Scalar index_type{};
  std::uint64_t immediate = 0;
  Position at;
};

/// A shared variable, or a field of all objects of a struct.
struct Place {
  std::string name;
  bool lock = false;
  bool field = false;
  std::uint32_t structure = 0;
  std::uint32_t cell = 0;  ///< the first one
  bool array = false;
  std::uint32_t cells = 1;
  Scalar type{};
};

struct Routine {
  std::string name;
  std::uint32_t locals = 0;  ///< registers of named variables, parameters first
  std::uint32_t parameters = 0;
  std::uint32_t registers = 0;
  std::vector<Scalar> parameter_types;
  bool has_result = false;
  std::vector<Instruction> instructions;
};

struct Code {
  std::string file;
  std::vector<Place> places;  ///< first the shared variables, in their order
  std::vector<Routine> routines;
  std::uint32_t main = 0;
  std::vector<std::uint64_t> initial;  ///< cells of the shared variables
  struct Object {
    std::string name;
    std::uint32_t cells;
  };
  std::vector<Object> structures;
};

/// Of a program that the checker has accepted.
Code compile(const Program& program);

}  // namespace omen::mini
