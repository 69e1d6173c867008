/// \file
/// A baseline: an earlier report. Only findings that are not in it count as new.
#pragma once

#include <expected>
#include <string>

#include "report/race_report.hpp"
#include "trace/error.hpp"

namespace omen::report {

class Baseline {
 public:
  explicit Baseline(RunReport report) : report_(std::move(report)) {}
  /// Reads the JSON of a report.
  static std::expected<Baseline, InputError> read(const std::string& path);

  bool knows(const Race& race) const;
  bool knows(const Deadlock& deadlock) const;

  /// Moves the findings that the baseline has from the report's lists to `report.baseline`.
  void apply(RunReport& report) const;
  /// Adds the baseline's findings that the report lacks to `report.baseline`. Call once, when the report is complete.
  void add_gone(RunReport& report) const;

 private:
  RunReport report_;
};

/// "2 findings of the baseline were seen again and not listed, 1 not seen"; empty without a baseline.
std::string baseline_text(const RunReport& report);

}  // namespace omen::report
