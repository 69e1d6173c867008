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

/// The version of the document; readers reject others.
inline constexpr int kReportVersion = 1;

nlohmann::ordered_json as_json(const RunReport& report);

/// Rejects other documents, with the position of the error ("/races/0/accesses") or its offset. Unknown members are
/// skipped; members that may be empty may be missing.
std::expected<RunReport, InputError> report_from_json(std::string_view text, const std::string& file);

}  // namespace omen::report
