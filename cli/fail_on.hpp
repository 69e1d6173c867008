/// \file
/// What of a report fails a run: `--fail-on`.
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <cstdint>
#include <string_view>

#include "report/race_report.hpp"

namespace omen::cli {

/// Each fails on what the one before fails on.
enum class FailOn : std::uint8_t {
  Observed,   ///< what the run itself shows
  Confirmed,  ///< also what a witness, or a run that was led to it, shows
  Predicted,  ///< whatever is reported
  New,        ///< the same, beside a baseline: known findings are not reported
};
inline constexpr std::array<std::string_view, 4> kFailOnNames{"observed", "confirmed", "predicted", "new"};

/// `--fail-on`, and `--baseline` beside it.
void add_fail_on(CLI::App& app, FailOn& fail_on, std::string& baseline);

bool fails(const report::RunReport& report, FailOn fail_on);

/// A line for predictions that are reported and do not fail the run; empty if there are none.
std::string lenient_text(const report::RunReport& report, FailOn fail_on);

}  // namespace omen::cli
