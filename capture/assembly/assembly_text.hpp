/// \file
/// What a line of x86-64 assembly, as compilers write it for GNU as, may do to memory.
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

/// Looks at a function's instructions in their order.
class MemoryUse {
 public:
  explicit MemoryUse(const Constants& constants) : constants_(constants) {}

  /// Whether the instruction may touch memory other than the frame, constants and the thread's own.
  bool touches(const Instruction& instruction);
  void at_function() {
    at_label();
    has_frame_pointer_ = false;
  }
  /// Control may come here from elsewhere.
  void at_label() { holds_constant_.fill(false); }

 private:
  bool is_harmless_place(std::string_view place) const;

  const Constants& constants_;
  std::array<bool, 16> holds_constant_{};  // registers with the address of a constant
  bool has_frame_pointer_ = false;
};

/// The same question for the text of an `asm` statement, which may have several instructions in a line.
bool assembly_touches(std::string_view block, MemoryUse& use);

}  // namespace omen::assembly
