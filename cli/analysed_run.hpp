/// \file
/// `omen run` without `--online`: records a run, and analyses it afterwards.
#pragma once

#include <expected>

#include "cli/run_parts.hpp"
#include "trace/error.hpp"

namespace omen::cli {

/// Reports errors in the arguments before anything runs.
void check_analysed(const RunArguments& arguments);

/// Runs the program once, and prints the findings of each process.
std::expected<OneRun, InputError> run_analysed(const RunArguments& arguments, RunSetting& setting);

}  // namespace omen::cli
