/// \file
/// Locates the files that the driver links or names: beside the driver, in a build tree or an installation.
#pragma once

#include <expected>
#include <string>

#include "capture/driver/failure.hpp"

namespace omen::driver {

struct RuntimeFiles {
  std::string archive;  ///< libomen_rt.a
  std::string symbols;  ///< omen_rt.syms: the symbols that the executable exports for its shared libraries
};

/// OMEN_RUNTIME (the archive or its folder); else ../lib and ../lib/omen, relative to the folder of `self`.
std::expected<RuntimeFiles, Failure> find_runtime(const std::string& self);

/// A plugin of clang in ../lib or ../lib/omen: omen_placement.so; omen_instrumentation.so, which leaves every check at
/// its access; or omen_values.so, which also records values. Empty if it was not built.
std::string find_plugin(const std::string& self, bool places_checks, bool records_values);

/// The plugin of LLVM's linker, omen_linking.so, in the same folders; empty if it was not built.
std::string find_linking_plugin(const std::string& self);

/// The plugin of GCC, omen_gcc.so, in the same folders; empty if it was not built.
std::string find_gcc_plugin(const std::string& self);

/// The folder of tools (tools.hpp), with a final slash: lib/tools or lib/omen/tools. Empty if it is missing.
std::string find_tools(const std::string& self);

/// libomen_thunks.a, beside the runtime; empty if it is missing.
std::string find_thunks(const std::string& self);

/// omen-gcc.specs or omen-incomplete.h, in the same folders.
std::expected<std::string, Failure> find_support(const std::string& self, const std::string& name);

}  // namespace omen::driver
