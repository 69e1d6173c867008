/// \file
/// `omen diff OLD NEW`: which findings are new, gone, or in both reports.
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/report_input.hpp"
#include "report/report_diff.hpp"

namespace omen::cli {
namespace {

struct Options {
  std::string before;
  std::string now;
  std::string json;
};

std::expected<int, InputError> run(const Options& options) {
  const auto before = read_report(options.before, {});
  if (!before) return std::unexpected(before.error());
  const auto now = read_report(options.now, {});
  if (!now) return std::unexpected(now.error());
  const report::ReportDiff diff = report::diff(before->report, now->report);
  if (options.json != "-") {
    if (auto shown = write_text("-", report::as_text(diff)); !shown) return std::unexpected(std::move(shown.error()));
  }
  if (!options.json.empty()) {
    nlohmann::ordered_json document{{"omen", 1}, {"reports", {options.before, options.now}}};
    document.update(report::as_json(diff));
    if (auto written = write_json(options.json, document); !written) {
      return std::unexpected(std::move(written.error()));
    }
  }
  return diff.added.empty() ? kExitNothingFound : kExitRaces;
}

const Command command{
    "diff", "Compare two reports: what is new, what is gone, what both have", [](CLI::App& app) -> Action {
      auto options = std::make_shared<Options>();
      app.add_option("OLD", options->before, "what run --json wrote, or a trace")->required();
      app.add_option("NEW", options->now, "the same, of a later run")->required();
      app.add_option("--json", options->json, "write it to this file as JSON; '-' is standard output");
      app.footer(
          "Findings are the same if their fingerprints are; in the same build, if their lines are, "
          "too.\nExit code: 66 if something is new, 0 if not.\n"
          "Example:\n  omen diff main.json branch.json");
      return [options] { return run(*options); };
    }};

}  // namespace
}  // namespace omen::cli
