/// \file
/// A run's report as text, in the layout that users of ThreadSanitizer, and their tools, know.
#pragma once

#include <string>

#include "report/race_report.hpp"
#include "report/text_style.hpp"

namespace omen::report {

/// One race, between lines of `=`.
std::string race_text(const Race& race, const RunReport& report, const TextStyle& style);

/// What a race that was printed before turned out to be: its places, then the last part of `race_text`.
std::string finding_text(const Race& race, const TextStyle& style);

/// All races, then what the run was, and its notes.
std::string as_text(const RunReport& report, const TextStyle& style = {});

/// One of those that were predicted and are no race, or may be none: the places, and why.
std::string unconfirmed_text(const Race& race, const TextStyle& style);

/// The last lines of `as_text`: counts and notes.
std::string closing_text(const RunReport& report, std::size_t columns = 0);

}  // namespace omen::report
