/// \file
/// The version of this omen, the compiler that built it, and its installed parts.
#pragma once

#include <string>

namespace omen::cli {

/// `omen --version`: a line each for the version, the compiler, and each compiler's plugin.
std::string version_text();

/// The plugin that places checks, at the path where omen-cc finds it; empty if it was not built.
std::string placement_plugin();

}  // namespace omen::cli
