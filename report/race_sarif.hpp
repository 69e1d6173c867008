/// \file
/// A run's report as SARIF 2.1.0, the format of code hosts and editors. Each race is a result with both accesses, a
/// code flow with one thread flow per thread (`executionOrder` is the step of the witness), and a fingerprint that is
/// equal in every run.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "report/race_report.hpp"

namespace omen::report {

struct SarifStyle {
  std::string source_root;  ///< files below it are relative to `%SRCROOT%`; empty: all paths are absolute
  std::string version;      ///< omen's; empty: left out
};

nlohmann::ordered_json as_sarif(const RunReport& report, const SarifStyle& style = {});

}  // namespace omen::report
