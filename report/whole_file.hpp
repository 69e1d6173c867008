/// \file
/// A whole input as text, for those that are small: suppressions, reports.
#pragma once

#include <expected>
#include <string>

#include "trace/error.hpp"

namespace omen::report {

/// `-` is standard input.
std::expected<std::string, InputError> whole_file(const std::string& path);

}  // namespace omen::report
