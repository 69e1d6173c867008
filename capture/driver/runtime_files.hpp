/// \file
/// Where the files are that the driver links or names: beside the driver, in a build tree or where it was installed.
#pragma once

#include <expected>
#include <string>

#include "capture/driver/failure.hpp"

namespace omen::driver {

struct RuntimeFiles {
  std::string archive;  ///< libomen_rt.a
  std::string symbols;  ///< omen_rt.syms: what the executable exports for its shared libraries
};

/// OMEN_RUNTIME (the archive or its folder); else ../lib and ../lib/omen, seen from the folder of `self`.
std::expected<RuntimeFiles, Failure> find_runtime(const std::string& self);

/// A plugin of clang, from ../lib and ../lib/omen: omen_placement.so, or omen_instrumentation.so, which leaves every
/// check where its access is, or omen_values.so, which also records values. Empty if they were not built.
std::string find_plugin(const std::string& self, bool places_checks, bool records_values);

/// The plugin of LLVM's linker, omen_linking.so, from the same folders; empty if it was not built.
std::string find_linking_plugin(const std::string& self);

/// The plugin of GCC, omen_gcc.so, from the same folders; empty if it was not built.
std::string find_gcc_plugin(const std::string& self);

/// The folder of tools (tools.hpp), with a slash at its end: lib/tools or lib/omen/tools. Empty if it is missing.
std::string find_tools(const std::string& self);

/// libomen_thunks.a, beside the runtime; empty if it is missing.
std::string find_thunks(const std::string& self);

/// omen-gcc.specs, or omen-incomplete.h, from the same folders.
std::expected<std::string, Failure> find_support(const std::string& self, const std::string& name);

}  // namespace omen::driver
