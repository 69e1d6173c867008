/// \file
/// The whole of `omen run`: runs the program once, or several times with `--runs`, and combines the findings in one
/// report.
#pragma once

#include <expected>

#include "cli/run_parts.hpp"
#include "trace/error.hpp"

namespace omen::cli {

std::expected<int, InputError> run_all(const RunArguments& arguments);

}  // namespace omen::cli
