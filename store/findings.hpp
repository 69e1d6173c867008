/// \file
/// What the store takes of a run's report: its races and predicted deadlocks. Findings with one fingerprint become one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/race_report.hpp"

namespace omen::store {

struct Finding {
  std::string fingerprint;
  std::string kind;
  std::string certainty;
  std::uint64_t count = 1;
  std::string title;
  std::string file;
  std::uint32_t line = 0;
  std::string function;
  /// Made of kind and, for each access, of its line and of the functions of up to three frames of the program; of
  /// functions the file and the last part of the name alone. Compilers name lambdas and what is local differently, and
  /// so a race may have several fingerprints; this is the same in one source. Empty if a side has no frame with a line.
  std::string places;
};

/// Files below `source_root` are named relative to it.
std::vector<Finding> findings_of(const report::RunReport& report, const std::string& source_root);

}  // namespace omen::store
