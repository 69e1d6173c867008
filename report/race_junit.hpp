/// \file
/// A run's report for continuous integration: JUnit's XML, which shows each finding as a failed test, and GitLab's Code
/// Quality, which shows it beside the changed lines.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "report/race_report.hpp"
#include "report/text_style.hpp"

namespace omen::report {

/// One test case per finding, with its text; one that passed if there are none.
std::string as_junit(const RunReport& report, const TextStyle& style);

/// Leaves out findings without a source position, because the format requires a file. Files below `source_root` are
/// relative to it.
nlohmann::ordered_json as_code_quality(const RunReport& report, const std::string& source_root);

}  // namespace omen::report
