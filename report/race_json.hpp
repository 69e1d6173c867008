/// \file
/// A run's report as JSON (docs/using.md, "The report as JSON"), and back.
#pragma once

#include <expected>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "report/race_report.hpp"
#include "trace/error.hpp"

namespace omen::report {

/// The version of the document; a reader refuses others.
inline constexpr int kReportVersion = 1;

nlohmann::ordered_json as_json(const RunReport& report);

/// Refuses what is no such document, with the place in it ("/races/0/accesses") or the offset. Members that it does not
/// know are skipped; those that may be empty may be missing.
std::expected<RunReport, InputError> report_from_json(std::string_view text, const std::string& file);

}  // namespace omen::report
