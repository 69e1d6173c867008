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

/// omen_placement.so, the plugin of clang that places checks, from ../lib and ../lib/omen. Empty if it was not built.
std::string find_placement(const std::string& self);

/// The folder of tools (tools.hpp), with a slash at its end: lib/tools or lib/omen/tools. Empty if it is missing.
std::string find_tools(const std::string& self);

/// libomen_thunks.a, beside the runtime; empty if it is missing.
std::string find_thunks(const std::string& self);

/// omen-gcc.specs, from the same folders.
std::expected<std::string, Failure> find_specs(const std::string& self);

}  // namespace omen::driver
