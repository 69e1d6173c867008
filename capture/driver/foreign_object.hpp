/// \file
/// Rewrites objects without instrumentation for the linker, so that every call of one of their functions first tells
/// the runtime that control leaves instrumented code (docs/capture.md, "Leaving instrumented code").
///
/// Every global function S becomes a stub, `call __omen_leave; jmp S.omen`, in its own section and section group like
/// S, and S.omen is a new hidden symbol for the code. Invariant: the object defines the same symbols as before, and S
/// has the same address everywhere, so function pointers still compare equal. If S is defined elsewhere too, the linker
/// chooses, and the stub is linked exactly if this copy is. Code sections are renamed to kForeignSection, by which the
/// runtime recognises functions without a global name.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace omen::driver {

/// The section that the linker makes of these objects' code; capture/runtime/foreign/static_code.cpp knows the name.
inline constexpr std::string_view kForeignSection = ".omen.foreign";

enum class ObjectKind : unsigned char {
  NoObject,      ///< not an object, without code, or for another machine
  Instrumented,  ///< it calls the runtime
  Unmarked,      ///< calls the runtime, but without marks where control leaves it (marked_assembly.hpp)
  Foreign,
  Bitcode,  ///< GCC's, for link-time optimisation, which instruments it later
  Unknown,  ///< damaged, or larger than this reader supports
};

ObjectKind kind_of_object(std::span<const char> file);

struct ForeignRules {
  /// Functions to leave unchanged, by symbol.
  std::function<bool(std::string_view)> is_harmless;
  /// An untyped label of assembly is a function if instrumented code only calls it.
  std::function<bool(std::string_view)> is_only_called;
  /// Called for each untyped global label of code that is not `is_only_called`, and so stays unchanged.
  std::function<void(std::string_view)> left_alone;
  bool renames_sections = true;  ///< false if the user's linker script names sections
};

/// A note by which the runtime recognises a module with calls that leave it, or parts of it, without marks.
inline constexpr std::string_view kUnknownSection = ".note.omen.unknown";

inline constexpr uint32_t kUnknownNote = 1;

/// An object that contains only a note of omen's.
std::vector<char> note_object(std::string_view section, uint32_t type, std::string_view content);

/// The object with stubs; nothing if it has no function that other objects can call.
std::optional<std::vector<char>> with_stubs(std::span<const char> file, const ForeignRules& rules);

/// Calls `use` for each undefined symbol that the object refers to; `called`: the reference is a call.
void list_uses(std::span<const char> file, const std::function<void(std::string_view, bool called)>& use);

}  // namespace omen::driver
