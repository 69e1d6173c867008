/// \file
/// Reads a whole input as text; for small ones: suppressions, reports.
#pragma once

#include <expected>
#include <string>

#include "trace/error.hpp"

namespace omen::report {

/// `-` is standard input.
std::expected<std::string, InputError> whole_file(const std::string& path);

}  // namespace omen::report
