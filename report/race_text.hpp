/// \file
/// A run's report as text, in ThreadSanitizer's layout, which users and tools know.
#pragma once

#include <string>

#include "report/race_report.hpp"
#include "report/text_style.hpp"

namespace omen::report {

/// One race, between lines of `=`.
std::string race_text(const Race& race, const RunReport& report, const TextStyle& style);

/// The update for a race that was printed before: its places, then the last part of `race_text`.
std::string finding_text(const Race& race, const TextStyle& style);

/// All findings, then a summary of the run and its notes.
std::string as_text(const RunReport& report, const TextStyle& style = {});

/// A prediction that is excluded or undecided: its places, and why.
std::string unconfirmed_text(const Race& race, const TextStyle& style);

/// The last lines of `as_text`: counts and notes.
std::string closing_text(const RunReport& report, std::size_t columns = 0);

}  // namespace omen::report
