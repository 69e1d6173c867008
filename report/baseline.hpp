/// \file
/// An earlier report, beside which only what is new counts.
#pragma once

#include <expected>
#include <string>

#include "report/race_report.hpp"
#include "trace/error.hpp"

namespace omen::report {

class Baseline {
 public:
  explicit Baseline(RunReport report) : report_(std::move(report)) {}
  /// The JSON of a report.
  static std::expected<Baseline, InputError> read(const std::string& path);

  bool knows(const Race& race) const;
  bool knows(const Deadlock& deadlock) const;

  /// Moves what is known out of the report's findings, to `report.baseline`.
  void apply(RunReport& report) const;
  /// Says which findings of the baseline are not there any more: once, when the report is complete.
  void add_gone(RunReport& report) const;

 private:
  RunReport report_;
};

/// "2 findings of the baseline were seen again and not listed, 1 not seen"; empty without a baseline.
std::string baseline_text(const RunReport& report);

}  // namespace omen::report
