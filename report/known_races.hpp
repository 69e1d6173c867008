/// \file
/// Known harmless races inside the C++ library. Users cannot fix them, so they are suppressed unless
/// `--no-builtin-suppressions` is given. Both accesses must be in the functions that known_races.cpp names; an access
/// whose stack is no longer known counts as in one if the other access is.
#pragma once

#include "report/race_report.hpp"

namespace omen::report {

bool is_known_race(const Race& race);

}  // namespace omen::report
