/// \file
/// Confirms predictions that rest on values, which only the program itself can confirm: it runs again, led by the
/// schedule, as in `omen replay`. If no run reaches the accesses, the prediction becomes an unconfirmed candidate.
#pragma once

#include <string>
#include <vector>

#include "report/race_report.hpp"

namespace omen::cli {

/// Runs the program for each race that rests on values, up to a limit. Without `may_run` they remain candidates.
void execute_candidates(report::RunReport& report, const std::vector<std::string>& command, bool may_run);

}  // namespace omen::cli
