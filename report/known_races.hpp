/// \file
/// Races of the C++ library with itself that are known and harmless: nobody who uses the library can mend them, so they
/// are not reported, unless `--no-builtin-suppressions` asks for them. Both accesses have to be in the functions that
/// are named here; one whose stack is no longer known counts as such beside one that is.
#pragma once

#include "report/race_report.hpp"

namespace omen::report {

bool is_known_race(const Race& race);

}  // namespace omen::report
