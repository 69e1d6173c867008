#include "cli/repeated_runs.hpp"

#include <fmt/format.h>

#include <csignal>
#include <string>

#include "cli/analysed_run.hpp"
#include "cli/online_run.hpp"
#include "report/build_deadlocks.hpp"
#include "report/explain.hpp"
#include "report/merge.hpp"
#include "report/race_text.hpp"
#include "report/text_parts.hpp"

namespace omen::cli {
namespace {

std::expected<RunSetting, InputError> setting_of(const RunArguments& arguments) {
  RunSetting setting;
  auto environment = options_of("");  // reports errors before anything runs
  if (!environment) return std::unexpected(std::move(environment.error()));
  setting.environment = std::move(*environment);
  print_help_if_asked(setting.environment);
  auto suppressions = read_suppressions(arguments, setting.environment);
  if (!suppressions) return std::unexpected(std::move(suppressions.error()));
  setting.suppressions = std::move(*suppressions);
  if (!arguments.baseline.empty()) {
    auto baseline = report::Baseline::read(arguments.baseline);
    if (!baseline) return std::unexpected(std::move(baseline.error()));
    setting.baseline = std::move(*baseline);
  }
  setting.repeated = arguments.runs > 1;
  return setting;
}

/// True if a signal that asks to end has ended the program: no further runs.
bool was_stopped(const ProgramEnd& end) {
  return end.signal == SIGINT || end.signal == SIGTERM || end.signal == SIGQUIT || end.signal == SIGHUP;
}

/// "3 of 20 runs: 'total' is read at … (observed)": a line per race, then the summary.
std::string runs_text(const report::RunReport& all, std::size_t columns) {
  std::string text;
  for (const report::Race& race : all.races) {
    text += fmt::format("{}: {} of {} runs: {}: {} ({})\n", report::kTool, race.origin.runs, all.runs, race.headline(),
                        report::explain(race).what, report::certainty_words(race));
  }
  for (const report::Deadlock& deadlock : all.deadlocks) {
    text += fmt::format("{}: {} of {} runs: deadlock: {}\n", report::kTool, deadlock.origin.runs, all.runs,
                        report::deadlock_words(deadlock));
  }
  return report::fitted(text, columns) + report::closing_text(all, columns);
}

std::expected<int, InputError> finish(const RunArguments& arguments, RunSetting& setting, const OneRun& last,
                                      const ProgramEnd& end) {
  report::RunReport& all = *setting.earlier;
  std::string text;
  if (setting.baseline) setting.baseline->add_gone(all);
  if (setting.repeated) text += runs_text(all, text_style(arguments.text, last.options).columns);
  text += report::baseline_text(all) + suppressions_text(setting.suppressions, last.options) +
          lenient_text(all, arguments.fail_on);
  if (!text.empty()) {
    auto printed = setting.log.print(text, last.options, all.process);
    if (!printed) return std::unexpected(std::move(printed.error()));
  }
  if (auto written = write_reports(arguments, all); !written) return std::unexpected(std::move(written.error()));
  return exit_code(all, last.options, arguments.fail_on, end);
}

}  // namespace

std::expected<int, InputError> run_all(const RunArguments& arguments) {
  const bool online = !arguments.online.empty();
  online ? check_online(arguments) : check_analysed(arguments);
  auto setting = setting_of(arguments);
  if (!setting) return std::unexpected(std::move(setting.error()));
  if (auto ok = check_outputs(arguments); !ok) return std::unexpected(std::move(ok.error()));
  ProgramEnd end;  // of the first run that failed, else of the last run
  for (std::uint64_t number = 1;; ++number) {
    auto run = online ? run_online(arguments, *setting) : run_analysed(arguments, *setting);
    if (!run) return std::unexpected(std::move(run.error()));
    if (end.exit_code() == 0) end = run->end;
    if (setting->earlier) {
      report::add_run(*setting->earlier, run->report);
    } else {
      setting->earlier = run->report;
    }
    if (number >= arguments.runs || was_stopped(run->end)) return finish(arguments, *setting, *run, end);
  }
}

}  // namespace omen::cli
