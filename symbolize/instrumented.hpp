/// \file
/// Was a program or library compiled with the instrumentation?
#pragma once

#include <string>

namespace omen::symbolize {

/// Instrumented code calls the runtime, so the file's symbols name its functions. A file that cannot be read counts as
/// instrumented.
bool is_instrumented(const std::string& path);

}  // namespace omen::symbolize
