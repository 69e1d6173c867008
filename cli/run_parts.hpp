/// \file
/// The parts that `omen run` shares between recorded and online runs: arguments, options, the analysis of a recording,
/// and the files that are written at the end.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "analysis/registry.hpp"
#include "cli/fail_on.hpp"
#include "cli/race_candidates.hpp"
#include "cli/recorded_run.hpp"
#include "cli/report_log.hpp"
#include "cli/text_style.hpp"
#include "report/baseline.hpp"
#include "report/options.hpp"
#include "report/race_report.hpp"
#include "report/suppressions.hpp"
#include "trace/error.hpp"
#include "vindicate/confirm.hpp"

namespace omen::cli {

struct RunArguments {
  std::vector<std::string> command;
  std::vector<std::string> analyses{"st-wdc"};
  std::vector<std::string> suppressions;
  bool no_builtin_suppressions = false;
  std::string online;   ///< the online analysis; empty: the run is recorded
  bool record = false;  ///< with `online`: record the run as well
  std::string json;
  std::string sarif;
  std::string html;
  std::string baseline;  ///< path of an earlier report; empty: none
  std::string keep;
  std::string folder;
  std::uint64_t budget = vindicate::Budget::kDefault;
  std::uint64_t jobs = std::max(1U, std::thread::hardware_concurrency());
  std::uint64_t pairs = 0;  ///< most pairs of two places; 0: as many as the budget allows
  Candidates candidates = Candidates::Paths;
  std::uint64_t values_budget = 2000;  ///< as in `omen relax --budget`
  bool no_replay = false;              ///< never run the program again on omen's own initiative
  bool show_candidates = false;        ///< list candidates that rest on values and were not executed
  TextArguments text;
  bool no_confirm = false;
  bool no_deadlocks = false;
  std::string confirm;       ///< with `online`: how often to run the program again for a prediction; empty: never
  bool replay = false;       ///< replay each race
  bool unconfirmed = false;  ///< list unconfirmed predictions
  FailOn fail_on = FailOn::Confirmed;
  std::uint64_t runs = 1;
};

/// State that is shared by the runs of a program.
struct RunSetting {
  report::RunOptions environment;  ///< without the program's own options
  report::Suppressions suppressions;
  std::optional<report::Baseline> baseline;
  ReportLog log;
  std::optional<report::RunReport> earlier;  ///< the merged earlier runs; none for a single run
  bool repeated = false;                     ///< there are several runs, whose combined summary is printed at the end

  /// True if an earlier run has printed the finding with the same certainty or a higher one.
  bool was_said(const report::Race& race) const;
  bool was_said(const report::Deadlock& deadlock) const;
};

/// The result of one run, with the findings of all its processes.
struct OneRun {
  report::RunReport report;
  report::RunOptions options;
  ProgramEnd end;
};

/// The program's own options, overridden by the environment's.
std::expected<report::RunOptions, InputError> options_of(const std::string& program);

/// The help text for OMEN_OPTIONS.
std::string options_help_text();
/// Prints the list of options to standard error if `help=1`.
void print_help_if_asked(const report::RunOptions& environment);

std::expected<report::Suppressions, InputError> read_suppressions(const RunArguments& arguments,
                                                                  const report::RunOptions& environment);

struct RecordedReport {
  report::RunReport report;
  report::RunOptions options;
  std::string suppressions;  ///< the program's own
};

/// If the report goes to standard output, the program's output goes to standard error.
RunningProgram::Streams streams_of(const RunArguments& arguments);

/// Reports unusable destinations before the program runs.
std::expected<void, InputError> check_outputs(const RunArguments& arguments);

/// Analyses one process's recording, and removes it. `ended` says how the process ended; null: unknown.
std::expected<RecordedReport, InputError> report_on(const Recording& recording, const RunArguments& arguments,
                                                    const AnalysisInfo& analysis, const ProgramEnd* ended);

report::ExitStatus exit_status(const ProgramEnd& end);

/// The lists of used and unused suppressions that the options request.
std::string suppressions_text(const report::Suppressions& suppressions, const report::RunOptions& options);

/// Writes the files of `--json`, `--sarif`, `--html` and similar options. Unconfirmed predictions are listed only if
/// requested.
std::expected<void, InputError> write_reports(const RunArguments& arguments, report::RunReport report);

/// The exit code of omen: the program's, or the one for races.
int exit_code(const report::RunReport& report, const report::RunOptions& options, FailOn fail_on,
              const ProgramEnd& end);

}  // namespace omen::cli
