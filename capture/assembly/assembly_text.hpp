/// \file
/// Decides which memory a line of x86-64 assembly, in compilers' syntax for GNU as, may access.
#pragma once

#include <array>
#include <set>
#include <string>
#include <string_view>

namespace omen::assembly {

struct Instruction {
  std::string_view mnemonic;  ///< without prefixes; empty: a directive, a label or nothing
  std::string_view operands;
  bool has_prefix = false;  ///< rep, lock, ...
};
Instruction parse_instruction(std::string_view line);

/// Names of read-only variables of the translation unit.
using Constants = std::set<std::string, std::less<>>;
Constants find_constants(std::string_view text);

/// Takes a function's instructions in order.
class MemoryUse {
 public:
  explicit MemoryUse(const Constants& constants) : constants_(constants) {}

  /// True if the instruction may access memory other than the frame, constants and thread-local variables.
  bool touches(const Instruction& instruction);
  void at_function() {
    at_label();
    has_frame_pointer_ = false;
  }
  /// A possible jump target.
  void at_label() { holds_constant_.fill(false); }

 private:
  bool is_harmless_place(std::string_view place) const;

  const Constants& constants_;
  std::array<bool, 16> holds_constant_{};  // registers with the address of a constant
  bool has_frame_pointer_ = false;
};

/// The same for the text of an `asm` statement, which may have several instructions in a line.
bool assembly_touches(std::string_view block, MemoryUse& use);

}  // namespace omen::assembly
