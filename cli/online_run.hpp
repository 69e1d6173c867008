/// \file
/// `omen run --online`: the program finds its races itself while it runs, and says so in a log (docs/formats.md, "The
/// online log"). Here the log is followed, and each race printed at once.
#pragma once

#include <expected>
#include <string>

#include "cli/run_parts.hpp"
#include "trace/error.hpp"

namespace omen::cli {

/// The names that `--online` takes, separated by commas.
std::string online_analyses();
/// Null: it is none of them.
const AnalysisInfo* find_online_analysis(std::string_view name);
/// Of a run with `stats=1`.
std::string counters_text(const report::RunReport& report);

/// What is wrong with the arguments is said before anything runs.
void check_online(const RunArguments& arguments);

/// Runs the program once. Races are printed as they come; what is said at the end of a run is left to the caller.
std::expected<OneRun, InputError> run_online(const RunArguments& arguments, RunSetting& setting);

}  // namespace omen::cli
