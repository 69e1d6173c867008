/// \file
/// A predicted deadlock as text, in the form of a race's report.
#pragma once

#include <string>

#include "report/race_report.hpp"
#include "report/race_text.hpp"

namespace omen::report {

std::string deadlock_text(const Deadlock& deadlock, const RunReport& report, const TextStyle& style);

}  // namespace omen::report
