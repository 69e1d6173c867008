/// \file
/// omen-cc in place of a tool that the compiler calls. BUILD/lib/tools contains links to omen-cc with the names of the
/// assembler and the linkers; -B makes the compiler look there first.
///
/// The assembler marks GCC's output where control leaves instrumented code (marked_assembly.hpp). The linker adds stubs
/// to objects without instrumentation (foreign_object.hpp). Both become the real tool, unless there are copies to
/// remove afterwards.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace omen::driver {

enum class Tool : unsigned char { None, Assembler, Linker };

/// Judged by the name that omen-cc was called by.
Tool tool_called(std::string_view name);

/// The variable in which the driver passes clang's folder to the linker that clang calls.
inline constexpr const char* kCompilerFolder = "OMEN_COMPILER_FOLDER";

/// The tool of this name that the compiler would have called; empty if there is none.
std::string find_real_tool(const std::string& name, const std::string& self);

/// Runs it. `arguments` exclude the name; `self` is omen-cc's own file.
int assemble(const std::string& name, const std::vector<std::string>& arguments, const std::string& self);
int link(const std::string& name, const std::vector<std::string>& arguments, const std::string& self);

/// Becomes `program`; returns an exit code only on failure.
int become(const std::string& program, std::vector<std::string> arguments);

}  // namespace omen::driver
