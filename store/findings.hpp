/// \file
/// The part of a run's report that the store keeps: its races and predicted deadlocks. Findings with the same
/// fingerprint are merged.
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
  /// Computed from the kind and, for each access, from its line and the functions of up to three frames of the program;
  /// for a function only its file and the last part of its name count. Compilers name lambdas and local entities
  /// differently, so a race may have several fingerprints; this hash is the same for one source. Empty if a side has no
  /// frame with a line.
  std::string places;
};

/// Files below `source_root` are named relative to it.
std::vector<Finding> findings_of(const report::RunReport& report, const std::string& source_root);

}  // namespace omen::store
