/// \file
/// Objects that were compiled without instrumentation, as the linker is to see them: whoever calls a function of theirs
/// tells the runtime first that control leaves instrumented code (docs/capture.md, "Leaving instrumented code").
///
/// Every global function S becomes a stub, `call __omen_leave; jmp S.omen`, in a section and section group of its own
/// as S was, and S.omen is a new hidden symbol for the code. Invariant: the object defines the same symbols as before,
/// and S has one address for everybody, so that function pointers compare as before. If S is also defined elsewhere, it
/// is the linker that chooses, and the stub is there exactly if it chose this copy. Code sections get the name
/// kForeignSection: the runtime finds in it the functions that have no name to others.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace omen::driver {

/// What the linker makes of the code of all such objects. The runtime knows the name
/// (capture/runtime/foreign/static_code.cpp).
inline constexpr std::string_view kForeignSection = ".omen.foreign";

enum class ObjectKind : unsigned char {
  NoObject,      ///< or one that holds no code, or is for another machine
  Instrumented,  ///< it calls the runtime
  Unmarked,      ///< so does this one, but it does not say where control leaves it (marked_assembly.hpp)
  Foreign,
  Bitcode,  ///< of GCC, for link-time optimisation: it is instrumented when it is compiled, which is later
  Unknown,  ///< damaged, or larger than this reader supports
};

ObjectKind kind_of_object(std::span<const char> file);

struct ForeignRules {
  /// Functions that are left as they are, by symbol.
  std::function<bool(std::string_view)> is_harmless;
  /// Labels of assembly that have no type are functions if all that instrumented code does with them is to call them.
  std::function<bool(std::string_view)> is_only_called;
  /// Told of each global label of code that has no type, is not `is_only_called`, and so is left as it is.
  std::function<void(std::string_view)> left_alone;
  bool renames_sections = true;  ///< false where a linker script of the user's names sections
};

/// What the runtime finds in a module if calls that leave it, or parts of it, are not marked.
inline constexpr std::string_view kUnknownSection = ".note.omen.unknown";

inline constexpr uint32_t kUnknownNote = 1;

/// An object that has a note of omen's and nothing else.
std::vector<char> note_object(std::string_view section, uint32_t type, std::string_view content);

/// The object with stubs; nothing if it has no function that others could call.
std::optional<std::vector<char>> with_stubs(std::span<const char> file, const ForeignRules& rules);

/// Tells `use` each undefined symbol that the object uses: whether to call it, or its address for something else.
void list_uses(std::span<const char> file, const std::function<void(std::string_view, bool called)>& use);

}  // namespace omen::driver
