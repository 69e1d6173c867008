/// \file
/// What `omen run` with and without `--online` have in common: the arguments, the options, the way from a recording to
/// a report, and the files that are written at the end.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <thread>
#include <vector>

#include "analysis/registry.hpp"
#include "cli/race_candidates.hpp"
#include "cli/recorded_run.hpp"
#include "cli/text_style.hpp"
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
  std::string online;   ///< the analysis that runs in the program; empty: none does
  bool record = false;  ///< with `online`: beside it
  std::string json;
  std::string sarif;
  std::string html;
  std::string keep;
  std::string folder;
  std::uint64_t budget = vindicate::Budget::kDefault;
  std::uint64_t jobs = std::max(1U, std::thread::hardware_concurrency());
  std::uint64_t pairs = 0;  ///< of two places, at most; 0: while they are cheap
  Candidates candidates = Candidates::Data;
  TextArguments text;
  bool no_confirm = false;
  bool no_deadlocks = false;
  std::string confirm;       ///< with `online`: how often to run the program again for a prediction; empty: never
  bool replay = false;       ///< run the program again for each race
  bool unconfirmed = false;  ///< list what is predicted and not confirmed
};

/// What the program itself brings, then the environment.
std::expected<report::RunOptions, InputError> options_of(const std::string& program);

std::expected<report::Suppressions, InputError> read_suppressions(const RunArguments& arguments,
                                                                  const report::RunOptions& environment);

struct RecordedReport {
  report::RunReport report;
  report::RunOptions options;
  std::string suppressions;  ///< that the program itself brings
};

/// One process's recording as a report. The recording is removed.
std::expected<RecordedReport, InputError> report_on(const Recording& recording, const RunArguments& arguments,
                                                    const AnalysisInfo& analysis, const report::ExitStatus& exit);

report::ExitStatus exit_status(const ProgramEnd& end);

/// The lists of used and unused suppressions, as far as the options ask for them.
std::string suppressions_text(const report::Suppressions& suppressions, const report::RunOptions& options);

/// Where `--json`, `--sarif` and `--html` say. What is not confirmed is listed only if that was asked for.
std::expected<void, InputError> write_reports(const RunArguments& arguments, report::RunReport report);

/// omen's own: that of the program, or that for races.
int exit_code(const report::RunReport& report, const report::RunOptions& options, const ProgramEnd& end);

}  // namespace omen::cli
