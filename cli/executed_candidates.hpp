/// \file
/// What rests on values that a schedule changes is confirmed by nothing but the program: it is run again, led by the
/// schedule, as `omen replay` does. What it does not come to is no race of the report, but one of its candidates.
#pragma once

#include <string>
#include <vector>

#include "report/race_report.hpp"

namespace omen::cli {

/// Runs the program for each race that rests on values, up to a number of races. `may_run`: else they stay candidates.
void execute_candidates(report::RunReport& report, const std::vector<std::string>& command, bool may_run);

}  // namespace omen::cli
