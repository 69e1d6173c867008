/// \file
/// `omen report INPUT…`: converts reports to other forms, and traces to reports. Several inputs become runs of one
/// report.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/analysis_names.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/report_input.hpp"
#include "cli/text_style.hpp"
#include "report/html/html_page.hpp"
#include "report/merge.hpp"
#include "report/race_json.hpp"
#include "report/race_junit.hpp"
#include "report/race_sarif.hpp"
#include "report/race_text.hpp"
#include "report/suppressions.hpp"
#include "report/uninstrumented.hpp"

namespace omen::cli {
namespace {

struct Options {
  std::vector<std::string> inputs;
  std::string text;
  std::string junit;
  std::string code_quality;
  std::string source_root;
  std::string strip_path_prefix;
  RunArguments how;    ///< output files, suppressions, baseline, and the analysis of a trace
  bool fails = false;  ///< `--fail-on` is given
};

/// Applies suppressions and the baseline as `omen run` does.
std::expected<void, InputError> judge(ReportInput& input, const RunArguments& arguments) {
  report::Suppressions suppressions;
  for (const std::string& file : arguments.suppressions) {
    if (auto ok = suppressions.add_file(file); !ok) return ok;
  }
  if (input.is_trace) {
    if (!input.options.suppressions.empty()) {
      if (auto ok = suppressions.add_file(input.options.suppressions); !ok) return ok;
    }
    if (auto ok = suppressions.add_text(input.suppressions, "__tsan_default_suppressions"); !ok) return ok;
    if (!input.options.report_bugs) report::clear_races(input.report);
    if (input.options.ignore_noninstrumented_modules) report::remove_uninstrumented(input.report);
  }
  if (!input.is_trace && arguments.suppressions.empty()) return {};
  suppressions.apply(input.report);
  if (input.is_trace) {
    if (input.options.halt_on_error && input.report.races.size() > 1) input.report.races.resize(1);
    fmt::print(stderr, "{}", suppressions_text(suppressions, input.options));
  } else {
    fmt::print(stderr, "{}{}", suppressions.hits_text(), suppressions.unused_text());
  }
  return {};
}

std::expected<void, InputError> write_forms(const Options& options, const report::RunReport& report) {
  const RunArguments& how = options.how;
  const bool only_text = how.sarif.empty() && how.json.empty() && how.html.empty() && options.junit.empty() &&
                         options.code_quality.empty();
  if (!options.text.empty() || only_text) {
    const std::string where = options.text.empty() ? "-" : options.text;
    report::TextStyle style = text_style(how.text, {}, where == "-" ? stdout : nullptr);
    style.strip_path_prefix = options.strip_path_prefix;
    style.unconfirmed = !report.unconfirmed.empty();
    if (auto written = write_text(where, report::as_text(report, style)); !written) return written;
  }
  std::error_code ignored;
  const std::string root =
      options.source_root.empty() ? "" : std::filesystem::absolute(options.source_root, ignored).lexically_normal();
  if (!options.junit.empty()) {
    report::TextStyle style = text_style(how.text, {}, nullptr);
    style.strip_path_prefix = options.strip_path_prefix;
    style.colour = false;
    if (auto written = write_text(options.junit, report::as_junit(report, style)); !written) return written;
  }
  if (!options.code_quality.empty()) {
    auto written = write_json(options.code_quality, report::as_code_quality(report, root));
    if (!written) return written;
  }
  if (!how.sarif.empty()) {
    if (auto written = write_json(how.sarif, report::as_sarif(report, {root, OMEN_VERSION})); !written) return written;
  }
  if (!how.html.empty()) {
    if (auto written = write_text(how.html, report::as_html(report, page_style())); !written) return written;
  }
  return how.json.empty() ? std::expected<void, InputError>{} : write_json(how.json, report::as_json(report));
}

std::expected<int, InputError> run(const Options& options) {
  std::optional<report::Baseline> baseline;
  if (!options.how.baseline.empty()) {
    auto read = report::Baseline::read(options.how.baseline);
    if (!read) return std::unexpected(std::move(read.error()));
    baseline = std::move(*read);
  }
  std::optional<report::RunReport> all;
  bool has_trace = false;
  for (const std::string& path : options.inputs) {
    auto input = read_report(path, options.how);
    if (!input) return std::unexpected(std::move(input.error()));
    if (auto ok = judge(*input, options.how); !ok) return std::unexpected(std::move(ok.error()));
    has_trace |= input->is_trace;
    if (input->is_trace && !options.how.unconfirmed) input->report.unconfirmed.clear();
    if (all) {
      report::add_run(*all, std::move(input->report));
    } else {
      all = std::move(input->report);
    }
  }
  if (baseline) {
    baseline->apply(*all);
    baseline->add_gone(*all);
  }
  if (auto written = write_forms(options, *all); !written) return std::unexpected(std::move(written.error()));
  const bool judges = options.fails || has_trace;
  return judges && fails(*all, options.how.fail_on) ? kExitRaces : kExitNothingFound;
}

const Command command{
    "report", "Make a report from traces or from reports, in any form: text, HTML, SARIF, JUnit, Code Quality",
    [](CLI::App& app) -> Action {
      auto options = std::make_shared<Options>();
      RunArguments& how = options->how;
      app.add_option("INPUT", options->inputs,
                     "traces, and what run --json or report --json wrote; several are one report; '-': a report on "
                     "standard input")
          ->required();
      app.add_option("--text", options->text,
                     "write text to this file; '-', standard output, if nothing else is asked");
      app.add_option("--sarif", how.sarif, "write SARIF 2.1.0 to this file; '-' is standard output");
      app.add_option("--junit", options->junit, "write JUnit's XML to this file: a failed test per finding");
      app.add_option("--code-quality", options->code_quality, "write GitLab's Code Quality JSON to this file");
      app.add_option("--html", how.html, "write a page for a browser to this file; it is complete in itself");
      app.add_option("--json", how.json, "write JSON, without what is suppressed or known");
      app.add_option("--source-root", options->source_root,
                     "SARIF, Code Quality: give files below this folder relative to it");
      app.add_option("--strip-path-prefix", options->strip_path_prefix, "text: leave this out of files' names");
      add_text_options(app, how.text);
      app.add_option("--suppressions", how.suppressions, "leave out the races that this file names");
      add_fail_on(app, how.fail_on, how.baseline);
      add_analyses(app, how.analyses)->group("Traces");
      add_number(app, "--budget", how.budget, "how far to follow a predicted pair, as for vindicate")->group("Traces");
      app.add_flag("--unconfirmed", how.unconfirmed, "list what is predicted and not reported as well")
          ->group("Traces");
      app.add_flag("--no-deadlocks", how.no_deadlocks, "report races alone")->group("Traces");
      add_number(app, "-j,--jobs", how.jobs, "threads to use for confirming")->group("Traces");
      app.footer(
          "A recorded trace is symbolised from the program's files, which must still be there and be the same.\n"
          "Exit code: 66 if there is a race that --fail-on names; for reports alone, which the run has judged, only if "
          "--fail-on is given. 65: bad input.\n"
          "Examples:\n  omen report t.omen --html t.html\n  omen report r1.json r2.json --json all.json\n"
          "  omen report r.json --sarif r.sarif --source-root \"$PWD\"");
      return [options, &app] {
        options->fails = app.get_option("--fail-on")->count() != 0;
        return run(*options);
      };
    }};

}  // namespace
}  // namespace omen::cli
