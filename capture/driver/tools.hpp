/// \file
/// omen-cc in the place of a tool that the compiler calls. BUILD/lib/tools holds links to omen-cc with the names of the
/// assembler and the linkers; -B makes the compiler look there first.
///
/// The assembler marks in GCC's output where control leaves instrumented code (marked_assembly.hpp). The linker does so
/// for objects without instrumentation (foreign_object.hpp). Both become the real tool, unless there are copies to
/// remove after it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace omen::driver {

enum class Tool : unsigned char { None, Assembler, Linker };

/// By the name that omen-cc was called by.
Tool tool_called(std::string_view name);

/// By this the driver says to the linker, which clang calls, in which folder clang is.
inline constexpr const char* kCompilerFolder = "OMEN_COMPILER_FOLDER";

/// The tool of this name that the compiler would have called; empty if there is none.
std::string find_real_tool(const std::string& name, const std::string& self);

/// Runs it. `arguments` are without the name; `self` is omen-cc's own file.
int assemble(const std::string& name, const std::vector<std::string>& arguments, const std::string& self);
int link(const std::string& name, const std::vector<std::string>& arguments, const std::string& self);

/// Becomes `program`; comes back with an exit code only if that fails.
int become(const std::string& program, std::vector<std::string> arguments);

}  // namespace omen::driver
