/// \file
/// The reports of several runs as one: a finding that several of them have is there once, as the surest of them says
/// it, with the number of runs that showed it.
#pragma once

#include "report/race_report.hpp"

namespace omen::report {

/// Numbers are sums, but threads, of which it is the most. How the first run that did not end well ended is kept.
void add_run(RunReport& all, RunReport other);

/// Higher is surer: predicted, confirmed, observed, observed and confirmed.
int sureness(const Race& race);

}  // namespace omen::report
