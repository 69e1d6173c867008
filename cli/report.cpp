/// \file
/// `omen report R.json`: what `omen run --json` wrote, in another form.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/text_style.hpp"
#include "report/html/html_page.hpp"
#include "report/race_json.hpp"
#include "report/race_junit.hpp"
#include "report/race_sarif.hpp"
#include "report/race_text.hpp"
#include "report/suppressions.hpp"
#include "report/whole_file.hpp"

namespace omen::cli {
namespace {

struct Options {
  std::string report;
  std::string text;
  std::string sarif;
  std::string json;
  std::string html;
  std::string junit;
  std::string code_quality;
  std::string source_root;
  std::string strip_path_prefix;
  std::string suppressions;
  TextArguments style;
};

std::expected<int, InputError> run(const Options& options) {
  const auto document = report::whole_file(options.report);
  if (!document) return std::unexpected(document.error());
  auto report = report::report_from_json(*document, options.report);
  if (!report) return std::unexpected(report.error());
  if (!options.suppressions.empty()) {
    report::Suppressions suppressions;
    if (auto ok = suppressions.add_file(options.suppressions); !ok) return std::unexpected(ok.error());
    suppressions.apply(*report);
    fmt::print(stderr, "{}{}", suppressions.hits_text(), suppressions.unused_text());
  }
  const bool only_text = options.sarif.empty() && options.json.empty() && options.html.empty() &&
                         options.junit.empty() && options.code_quality.empty();
  if (!options.text.empty() || only_text) {
    const std::string where = options.text.empty() ? "-" : options.text;
    report::TextStyle style = text_style(options.style, {}, where == "-" ? stdout : nullptr);
    style.strip_path_prefix = options.strip_path_prefix;
    style.unconfirmed = !report->unconfirmed.empty();
    auto written = write_text(where, report::as_text(*report, style));
    if (!written) return std::unexpected(written.error());
  }
  std::error_code ignored;
  const std::string root =
      options.source_root.empty() ? "" : std::filesystem::absolute(options.source_root, ignored).lexically_normal();
  if (!options.junit.empty()) {
    report::TextStyle style = text_style(options.style, {}, nullptr);
    style.strip_path_prefix = options.strip_path_prefix;
    style.colour = false;
    auto written = write_text(options.junit, report::as_junit(*report, style));
    if (!written) return std::unexpected(written.error());
  }
  if (!options.code_quality.empty()) {
    auto written = write_json(options.code_quality, report::as_code_quality(*report, root));
    if (!written) return std::unexpected(written.error());
  }
  if (!options.sarif.empty()) {
    auto written = write_json(options.sarif, report::as_sarif(*report, {root, OMEN_VERSION}));
    if (!written) return std::unexpected(written.error());
  }
  if (!options.html.empty()) {
    auto written = write_text(options.html, report::as_html(*report, page_style()));
    if (!written) return std::unexpected(written.error());
  }
  if (!options.json.empty()) {
    auto written = write_json(options.json, report::as_json(*report));
    if (!written) return std::unexpected(written.error());
  }
  return kExitNothingFound;
}

const Command command{
    "report", "Write a run's report in another form: text, HTML, SARIF, JUnit, Code Quality",
    [](CLI::App& app) -> Action {
      auto options = std::make_shared<Options>();
      app.add_option("REPORT", options->report, "what run --json wrote; '-' is standard input")->required();
      app.add_option("--text", options->text,
                     "write text to this file; '-', standard output, if nothing else is asked");
      app.add_option("--sarif", options->sarif, "write SARIF 2.1.0 to this file; '-' is standard output");
      app.add_option("--junit", options->junit, "write JUnit's XML to this file: a failed test per race");
      app.add_option("--code-quality", options->code_quality, "write GitLab's Code Quality JSON to this file");
      app.add_option("--html", options->html, "write a page for a browser to this file; it is complete in itself");
      app.add_option("--json", options->json, "write JSON again, without what is suppressed");
      app.add_option("--source-root", options->source_root,
                     "SARIF, Code Quality: give files below this folder relative to it");
      app.add_option("--strip-path-prefix", options->strip_path_prefix, "text: leave this out of files' names");
      add_text_options(app, options->style);
      app.add_option("--suppressions", options->suppressions, "leave out the races that this file names");
      app.footer(
          "Exit code: 0, also if there are races: they were reported by the run. 65: not such a report.\n"
          "Example:\n  omen report r.json --html r.html\n"
          "  omen report r.json --sarif r.sarif --source-root \"$PWD\"");
      return [options] { return run(*options); };
    }};

}  // namespace
}  // namespace omen::cli
