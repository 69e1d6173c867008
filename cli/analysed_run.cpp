#include "cli/analysed_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <string>
#include <utility>

#include "cli/analysis_names.hpp"
#include "cli/executed_candidates.hpp"
#include "cli/recorded_run.hpp"
#include "cli/replay_run.hpp"
#include "report/deadlock_text.hpp"
#include "report/race_text.hpp"
#include "report/uninstrumented.hpp"

namespace omen::cli {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr std::uint32_t kReplays = 3;  // of each race

void replay_all(report::RunReport& report, const std::vector<std::string>& command) {
  const auto replay = [&](auto& finding) {
    if (finding.replays) return;  // execute_candidates has already run the program for it
    if (finding.replay) {
      finding.replays = count_replays(ReplayGoal(finding), command, kReplays);
    } else if (!finding.no_replay.empty()) {
      finding.replays = report::Replays{.runs = 0, .reached = 0, .diverged = finding.no_replay};
    }
  };
  std::ranges::for_each(report.races, replay);
  std::ranges::for_each(report.deadlocks, replay);
}

const AnalysisInfo& analysis_of(const RunArguments& arguments) {
  const auto analyses = resolve_analyses(arguments.analyses);
  if (analyses.size() != 1) throw CLI::ValidationError("--analysis", "expected one analysis");
  return *analyses.front();
}

/// The report's text. For repeated runs only the findings that earlier runs have not printed; the summary of all runs
/// follows the last one.
std::string text_of(report::RunReport& report, const report::TextStyle& style, const RunSetting& setting) {
  std::string text;
  if (!setting.repeated) {
    auto baseline = std::exchange(report.baseline, std::nullopt);
    text = as_text(report, style);
    report.baseline = std::move(baseline);
    return text;
  }
  for (const report::Race& race : report.races) {
    if (!setting.was_said(race)) text += race_text(race, report, style);
  }
  for (const report::Deadlock& deadlock : report.deadlocks) {
    if (!setting.was_said(deadlock)) text += deadlock_text(deadlock, report, style);
  }
  return text;
}

/// The statistics for `stats=1`.
std::string statistics_text(const report::RunReport& report, std::uintmax_t recorded, Seconds run, Seconds analysis) {
  std::string text = fmt::format("OmenRaceDetector: statistics (pid={}):\n", report.process);
  const auto line = [&](std::string_view name, const std::string& value) {
    fmt::format_to(std::back_inserter(text), "  {:<32} {:>14}\n", name, value);
  };
  line("events", std::to_string(report.events));
  line("synchronisations", std::to_string(report.synchronisations));
  line("threads", std::to_string(report.threads));
  line("recorded bytes", std::to_string(recorded));
  line("seconds of the program", fmt::format("{:.3f}", run.count()));
  line("seconds of the analysis", fmt::format("{:.3f}", analysis.count()));
  return text;
}

/// The path at which to keep a trace: each forked process and each run has its own.
std::string kept_as(const RunArguments& arguments, const RunSetting& setting, bool is_first, std::uint64_t process) {
  std::string name = arguments.keep;
  if (name.empty()) return name;
  if (setting.earlier) name += ".run" + std::to_string(setting.earlier->runs + 1);
  if (!is_first) name += "." + std::to_string(process);
  return name;
}

}  // namespace

void check_analysed(const RunArguments& arguments) {
  if (!arguments.confirm.empty()) throw CLI::ValidationError("--confirm", "belongs to --online");
  if (arguments.record) throw CLI::ValidationError("--record", "belongs to --online; without it, the run is recorded");
  analysis_of(arguments);
}

std::expected<OneRun, InputError> run_analysed(const RunArguments& arguments, RunSetting& setting) {
  const AnalysisInfo& analysis = analysis_of(arguments);
  const auto folder = TemporaryFolder::create(arguments.folder);
  if (!folder) return std::unexpected(folder.error());
  const auto begin = Clock::now();
  const auto end = run_program(arguments.command, folder->path(), streams_of(arguments));
  if (!end) return std::unexpected(end.error());
  const Seconds ran = Clock::now() - begin;
  const auto recordings = recordings_in(folder->path(), end->pid);
  if (recordings.empty()) return std::unexpected(nothing_recorded(arguments.command));

  OneRun run{.report = {}, .options = {}, .end = *end};
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    const auto process = static_cast<std::uint64_t>(recordings[i].pid);
    RunArguments own = arguments;
    own.keep = kept_as(arguments, setting, i == 0, process);
    std::error_code ignored;
    const auto recorded = std::filesystem::file_size(recordings[i].raw, ignored);
    const auto analysis_begin = Clock::now();
    auto result = report_on(recordings[i], own, analysis, i == 0 ? &*end : nullptr);
    if (!result) return std::unexpected(std::move(result.error()));
    report::RunReport* const built = &result->report;
    run.options = std::move(result->options);
    if (!run.options.report_bugs) report::clear_races(*built);
    if (run.options.ignore_noninstrumented_modules) report::remove_uninstrumented(*built);
    if (i == 0 && !setting.earlier) {  // forked processes and later runs define the same ones
      if (auto ok = setting.suppressions.add_text(result->suppressions, "__tsan_default_suppressions"); !ok) {
        return std::unexpected(std::move(ok.error()));
      }
    }
    setting.suppressions.apply(*built);
    if (setting.baseline) setting.baseline->apply(*built);
    if (run.options.halt_on_error && built->races.size() > 1) built->races.resize(1);
    execute_candidates(*built, arguments.command, i == 0 && !arguments.no_replay);
    if (arguments.replay && i == 0) replay_all(*built, arguments.command);
    if (i != 0) report::name_process(*built, run.report.command);
    report::TextStyle style = text_style(arguments.text, run.options);
    style.unconfirmed = arguments.unconfirmed;
    style.candidates = arguments.show_candidates;
    // A forked process without findings prints nothing.
    if (i == 0 || !built->races.empty() || !built->deadlocks.empty()) {
      std::string text = text_of(*built, style, setting);
      if (run.options.stats) text += statistics_text(*built, recorded, ran, Clock::now() - analysis_begin);
      if (auto printed = setting.log.print(text, run.options, process); !printed) {
        return std::unexpected(std::move(printed.error()));
      }
    }
    if (i == 0) {
      run.report = std::move(*built);
    } else {
      report::add_process(run.report, std::move(*built));
    }
  }
  return run;
}

}  // namespace omen::cli
