#include "cli/fail_on.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "report/merge.hpp"
#include "report/text_parts.hpp"

namespace omen::cli {
namespace {

bool fails(const report::Race& race, FailOn fail_on) {
  switch (fail_on) {
    case FailOn::Observed:
      return race.observed;
    case FailOn::Confirmed:
      return report::sureness(race) > 0;
    case FailOn::Predicted:
    case FailOn::New:
      return true;
  }
  return true;
}

/// Every reported deadlock has a witness.
bool fails(const report::Deadlock& deadlock, FailOn fail_on) {
  return fail_on != FailOn::Observed || (deadlock.replays && deadlock.replays->reached != 0);
}

}  // namespace

void add_fail_on(CLI::App& app, FailOn& fail_on, std::string& baseline) {
  CLI::Option* const earlier =
      app.add_option("--baseline", baseline, "an earlier report (JSON): what it has is known, and not reported");
  const auto parse = [&fail_on](const std::string& text) {
    const auto* const found = std::ranges::find(kFailOnNames, text);
    if (found == kFailOnNames.end()) {
      throw CLI::ValidationError("--fail-on", "expected observed, confirmed, predicted or new, not '" + text + "'");
    }
    fail_on = static_cast<FailOn>(found - kFailOnNames.begin());
  };
  CLI::Option* const option =
      app.add_option_function<std::string>(
             "--fail-on", parse,
             "what leads to exit code 66: observed, what the run shows; confirmed (default), also what a witness "
             "shows; predicted, whatever is reported; new, the same beside --baseline")
          ->type_name("observed|confirmed|predicted|new");
  app.final_callback([&fail_on, earlier, option] {
    if (option->count() != 0 && fail_on == FailOn::New && earlier->count() == 0) {
      throw CLI::ValidationError("--fail-on", "new: expected a --baseline");
    }
  });
}

bool fails(const report::RunReport& report, FailOn fail_on) {
  const auto one_fails = [&](const auto& finding) { return fails(finding, fail_on); };
  return std::ranges::any_of(report.races, one_fails) || std::ranges::any_of(report.deadlocks, one_fails);
}

std::string lenient_text(const report::RunReport& report, FailOn fail_on) {
  const auto lenient = static_cast<std::uint64_t>(
      std::ranges::count_if(report.races, [&](const report::Race& race) { return !fails(race, fail_on); }));
  if (lenient == 0) return {};
  return fmt::format("{}: {} not fail the run (--fail-on {}; --fail-on predicted fails on whatever is reported)\n",
                     report::kTool, lenient == 1 ? "1 race does" : fmt::format("{} races do", lenient),
                     kFailOnNames[static_cast<std::size_t>(fail_on)]);
}

}  // namespace omen::cli
