/// \file
/// Merges the reports of several runs. A finding of several runs appears once, as the most certain run reports it, with
/// the number of runs that showed it.
#pragma once

#include "report/race_report.hpp"

namespace omen::report {

/// Adds up all counts except the number of threads, where it keeps the maximum. Keeps the exit of the first run that
/// failed.
void add_run(RunReport& all, RunReport other);

/// Higher is more certain: predicted, confirmed, observed, observed and confirmed.
int sureness(const Race& race);

}  // namespace omen::report
