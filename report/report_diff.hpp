/// \file
/// Compares two reports: findings that are new, gone, or in both.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "report/race_report.hpp"

namespace omen::report {

/// A race or a deadlock, in a few words.
struct DiffEntry {
  std::string kind;         ///< "data-race", "deadlock"
  std::string fingerprint;  ///< equal in both reports
  std::string what;         ///< "'total' is read at bank.cpp:48 and written at bank.cpp:26"
  std::string before = {};  ///< its certainty in the old report: "observed"; empty: not in it
  std::string now = {};

  bool operator==(const DiffEntry&) const = default;
};

struct ReportDiff {
  std::vector<DiffEntry> added;
  std::vector<DiffEntry> gone;
  std::vector<DiffEntry> common;
};

ReportDiff diff(const RunReport& before, const RunReport& now);

std::string as_text(const ReportDiff& diff);
nlohmann::ordered_json as_json(const ReportDiff& diff);

}  // namespace omen::report
