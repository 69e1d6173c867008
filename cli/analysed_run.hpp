/// \file
/// `omen run` without `--online`: a run is recorded, and analysed when it is over.
#pragma once

#include <expected>

#include "cli/run_parts.hpp"
#include "trace/error.hpp"

namespace omen::cli {

/// What is wrong with the arguments is said before anything runs.
void check_analysed(const RunArguments& arguments);

/// Runs the program once, and prints what is found, process by process.
std::expected<OneRun, InputError> run_analysed(const RunArguments& arguments, RunSetting& setting);

}  // namespace omen::cli
