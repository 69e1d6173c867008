/// \file
/// `omen run --online`: the detector in the program finds races during the run and writes them to a log
/// (docs/formats.md, "The online log"). This code follows the log and prints each race at once.
#pragma once

#include <expected>
#include <string>

#include "cli/run_parts.hpp"
#include "trace/error.hpp"

namespace omen::cli {

/// The names that `--online` accepts, separated by commas.
std::string online_analyses();
/// Null for any other name.
const AnalysisInfo* find_online_analysis(std::string_view name);
/// The counters of a run with `stats=1`.
std::string counters_text(const report::RunReport& report);

/// Reports errors in the arguments before anything runs.
void check_online(const RunArguments& arguments);

/// Runs the program once. Prints races as they arrive; the caller prints the text at the end of the run.
std::expected<OneRun, InputError> run_online(const RunArguments& arguments, RunSetting& setting);

}  // namespace omen::cli
