/// \file
/// What this omen is: its version, what built it, and what of it is there.
#pragma once

#include <string>

namespace omen::cli {

/// `omen --version`: a line for the version, one for the compiler, one for each compiler's plugin.
std::string version_text();

/// The plugin that places checks, where omen-cc finds it; empty if it was not built.
std::string placement_plugin();

}  // namespace omen::cli
