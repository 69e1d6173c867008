/// \file
/// What `omen run` with and without `--online` have in common: the arguments, the options, the way from a recording to
/// a report, and the files that are written at the end.
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
  std::string online;   ///< the analysis that runs in the program; empty: none does
  bool record = false;  ///< with `online`: beside it
  std::string json;
  std::string sarif;
  std::string html;
  std::string baseline;  ///< an earlier report; empty: none
  std::string keep;
  std::string folder;
  std::uint64_t budget = vindicate::Budget::kDefault;
  std::uint64_t jobs = std::max(1U, std::thread::hardware_concurrency());
  std::uint64_t pairs = 0;  ///< of two places, at most; 0: while they are cheap
  Candidates candidates = Candidates::Paths;
  std::uint64_t values_budget = 2000;  ///< as of `omen relax --budget`
  bool no_replay = false;              ///< never run the program again by itself
  bool show_candidates = false;        ///< list what rests on values and was not executed
  TextArguments text;
  bool no_confirm = false;
  bool no_deadlocks = false;
  std::string confirm;       ///< with `online`: how often to run the program again for a prediction; empty: never
  bool replay = false;       ///< run the program again for each race
  bool unconfirmed = false;  ///< list what is predicted and not confirmed
  FailOn fail_on = FailOn::Confirmed;
  std::uint64_t runs = 1;
};

/// What the runs of a program share.
struct RunSetting {
  report::RunOptions environment;  ///< without what the program brings
  report::Suppressions suppressions;
  std::optional<report::Baseline> baseline;
  ReportLog log;
  std::optional<report::RunReport> earlier;  ///< the runs so far; a run on its own has none
  bool repeated = false;                     ///< more runs than one: what they say together is said at the end

  /// An earlier run has said it, and was as sure.
  bool was_said(const report::Race& race) const;
  bool was_said(const report::Deadlock& deadlock) const;
};

/// What came of one run, with the findings of all its processes.
struct OneRun {
  report::RunReport report;
  report::RunOptions options;
  ProgramEnd end;
};

/// What the program itself brings, then the environment.
std::expected<report::RunOptions, InputError> options_of(const std::string& program);

/// What OMEN_OPTIONS can say.
std::string options_help_text();
/// `help=1`: the list of options, on standard error.
void print_help_if_asked(const report::RunOptions& environment);

std::expected<report::Suppressions, InputError> read_suppressions(const RunArguments& arguments,
                                                                  const report::RunOptions& environment);

struct RecordedReport {
  report::RunReport report;
  report::RunOptions options;
  std::string suppressions;  ///< that the program itself brings
};

/// A program whose report goes to standard output prints to standard error.
RunningProgram::Streams streams_of(const RunArguments& arguments);

/// What is wrong with a report's destination is said before the program runs.
std::expected<void, InputError> check_outputs(const RunArguments& arguments);

/// One process's recording as a report. The recording is removed. `ended`: how the process ended; null: nobody knows.
std::expected<RecordedReport, InputError> report_on(const Recording& recording, const RunArguments& arguments,
                                                    const AnalysisInfo& analysis, const ProgramEnd* ended);

report::ExitStatus exit_status(const ProgramEnd& end);

/// The lists of used and unused suppressions, as far as the options ask for them.
std::string suppressions_text(const report::Suppressions& suppressions, const report::RunOptions& options);

/// Where `--json`, `--sarif` and `--html` say. What is not confirmed is listed only if that was asked for.
std::expected<void, InputError> write_reports(const RunArguments& arguments, report::RunReport report);

/// omen's own: that of the program, or that for races.
int exit_code(const report::RunReport& report, const report::RunOptions& options, FailOn fail_on,
              const ProgramEnd& end);

}  // namespace omen::cli
