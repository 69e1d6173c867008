/// \file
/// A run's report as SARIF 2.1.0, the form that code hosts and editors read. Each race is a result with both accesses,
/// a code flow with one thread flow per thread (`executionOrder` is the step of the witness), and a fingerprint that
/// stays the same from run to run.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "report/race_report.hpp"

namespace omen::report {

struct SarifStyle {
  std::string source_root;  ///< files below it are given relative to `%SRCROOT%`; empty: all are absolute
  std::string version;      ///< of omen; empty: not said
};

nlohmann::ordered_json as_sarif(const RunReport& report, const SarifStyle& style = {});

}  // namespace omen::report
