/// \file
/// Two reports side by side: which findings are new, which are gone, and which both have.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "report/race_report.hpp"

namespace omen::report {

/// A finding of either kind, in a few words.
struct DiffEntry {
  std::string kind;         ///< "data-race", "deadlock"
  std::string fingerprint;  ///< the same in both reports
  std::string what;         ///< "'total' is read at bank.cpp:48 and written at bank.cpp:26"
  std::string before = {};  ///< how sure the old report is: "observed"; empty: it does not have it
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
