/// \file
/// All that `omen run` does: the program runs once or, with `--runs`, several times; what the runs found is one report.
#pragma once

#include <expected>

#include "cli/run_parts.hpp"
#include "trace/error.hpp"

namespace omen::cli {

std::expected<int, InputError> run_all(const RunArguments& arguments);

}  // namespace omen::cli
