/// \file
/// `--fail-on`: which findings make a run fail.
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <cstdint>
#include <string_view>

#include "report/race_report.hpp"

namespace omen::cli {

/// Each value includes the ones before it.
enum class FailOn : std::uint8_t {
  Observed,   ///< races that the run itself shows
  Confirmed,  ///< also races that a witness, or a run led to them, confirms
  Predicted,  ///< all reported findings
  New,        ///< the same with a baseline, whose findings are not reported
};
inline constexpr std::array<std::string_view, 4> kFailOnNames{"observed", "confirmed", "predicted", "new"};

/// Adds `--fail-on` and `--baseline`.
void add_fail_on(CLI::App& app, FailOn& fail_on, std::string& baseline);

bool fails(const report::RunReport& report, FailOn fail_on);

/// A line about reported predictions that do not fail the run; empty if there are none.
std::string lenient_text(const report::RunReport& report, FailOn fail_on);

}  // namespace omen::cli
