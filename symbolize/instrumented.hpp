/// \file
/// Whether a program or library was compiled with instrumentation.
#pragma once

#include <string>
#include <string_view>

namespace omen::symbolize {

/// Instrumented code calls the runtime, so the file's symbols include its functions. A file that cannot be read counts
/// as instrumented.
bool is_instrumented(const std::string& path);

/// The file has a section of this name. False for a file that cannot be read.
bool has_section(const std::string& path, std::string_view name);

}  // namespace omen::symbolize
