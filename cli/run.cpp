/// \file
/// `omen run -- PROG ARGS…`: runs an instrumented program once, analyses what it did, confirms what the analysis
/// predicts, and reports. Races that happens-before shows in this very run need no confirmation; predicted ones are
/// reported if there is a witness. With `--online` the program finds its races itself (cli/online_run.hpp).
#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include "cli/analysis_names.hpp"
#include "cli/command.hpp"
#include "cli/online_run.hpp"
#include "cli/recorded_run.hpp"
#include "cli/replay_run.hpp"
#include "cli/report_log.hpp"
#include "cli/run_parts.hpp"
#include "report/race_text.hpp"
#include "report/uninstrumented.hpp"

namespace omen::cli {
namespace {

constexpr std::uint32_t kReplays = 3;  // of each race

void replay_all(report::RunReport& report, const std::vector<std::string>& command) {
  for (report::Race& race : report.races) {
    if (race.replay) race.replays = count_replays(ReplayGoal(race), command, kReplays);
  }
  for (report::Deadlock& deadlock : report.deadlocks) {
    if (deadlock.replay) deadlock.replays = count_replays(ReplayGoal(deadlock), command, kReplays);
  }
}

std::expected<int, InputError> run(const RunArguments& arguments) {
  if (!arguments.confirm.empty()) throw CLI::ValidationError("--confirm", "belongs to --online");
  if (arguments.record) throw CLI::ValidationError("--record", "belongs to --online; without it, the run is recorded");
  const auto analyses = resolve_analyses(arguments.analyses);
  if (analyses.size() != 1) throw CLI::ValidationError("--analysis", "expected one analysis");
  auto environment = options_of("");  // before anything runs: what is wrong with it is said at once
  if (!environment) return std::unexpected(environment.error());
  auto suppressions = read_suppressions(arguments, *environment);
  if (!suppressions) return std::unexpected(std::move(suppressions.error()));

  const auto folder = TemporaryFolder::create(arguments.folder);
  if (!folder) return std::unexpected(folder.error());
  const auto end = run_program(arguments.command, folder->path());
  if (!end) return std::unexpected(end.error());
  const auto recordings = recordings_in(folder->path(), end->pid);
  if (recordings.empty()) return std::unexpected(nothing_recorded(arguments.command));

  report::RunReport all;  // of the first process, with the races of all
  ReportLog log;
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    const auto process = static_cast<std::uint64_t>(recordings[i].pid);
    RunArguments own = arguments;  // a forked process keeps its own trace
    if (i != 0 && !own.keep.empty()) own.keep += "." + std::to_string(process);
    auto result = report_on(recordings[i], own, *analyses.front(), i == 0 ? exit_status(*end) : report::ExitStatus{});
    if (!result) return std::unexpected(std::move(result.error()));
    report::RunReport* const built = &result->report;
    environment = std::move(result->options);
    if (!environment->report_bugs) report::clear_races(*built);
    if (environment->ignore_noninstrumented_modules) report::remove_uninstrumented(*built);
    if (i == 0) {  // forked processes bring the same
      if (auto ok = suppressions->add_text(result->suppressions, "__tsan_default_suppressions"); !ok) {
        return std::unexpected(std::move(ok.error()));
      }
    }
    suppressions->apply(*built);
    if (environment->halt_on_error && built->races.size() > 1) built->races.resize(1);
    if (arguments.replay && i == 0) replay_all(*built, arguments.command);
    report::TextStyle style = text_style(arguments.text, *environment);
    style.unconfirmed = arguments.unconfirmed;
    // Processes that forked and did nothing worth saying say nothing.
    if (i == 0 || !built->races.empty() || !built->deadlocks.empty()) {
      if (auto printed = log.print(report::as_text(*built, style), *environment, process); !printed) {
        return std::unexpected(std::move(printed.error()));
      }
    }
    if (i == 0) {
      all = std::move(*built);
    } else {
      report::add_process(all, std::move(*built));
    }
  }
  const std::string closing = suppressions_text(*suppressions, *environment);
  if (!closing.empty()) {
    auto printed = log.print(closing, *environment, static_cast<std::uint64_t>(end->pid));
    if (!printed) return std::unexpected(std::move(printed.error()));
  }
  if (auto written = write_reports(arguments, all); !written) return std::unexpected(std::move(written.error()));
  return exit_code(all, *environment, *end);
}

const Command command{
    "run", "Run an instrumented program once, and report the races and deadlocks that it shows or hides",
    [](CLI::App& app) -> Action {
      auto options = std::make_shared<RunArguments>();
      app.add_option("PROGRAM", options->command,
                     "the program; all that follows are its arguments, with or without -- in front")
          ->required();
      CLI::Option* const analysis = add_analyses(app, options->analyses);
      app.add_flag("--online{st-dc}", options->online,
                   "find races while the program runs, and print each at once; --online=A for another analysis: " +
                       online_analyses())
          ->type_name("A")
          ->excludes(analysis);
      app.add_flag("--record", options->record,
                   "with --online: record as well, and confirm afterwards what was predicted");
      app.add_option("--candidates", options->candidates,
                     "which pairs of accesses to look for a witness for: wdc, what --analysis predicts; lw, "
                     "also pairs that every relation orders, as far as a witness is found cheaply; data (default), "
                     "the same where counters and the like may have other values")
          ->type_name("wdc|lw|data")
          ->transform(CLI::CheckedTransformer(std::map<std::string, Candidates>{
              {"wdc", Candidates::Relation}, {"lw", Candidates::Lw}, {"data", Candidates::Data}}));
      app.add_flag(
          "--confirm{3}", options->confirm,
          "with --online: run the program again, up to three times (--confirm=N: N times) for each prediction, "
          "with threads that wait for each other at the two places; says which races are demonstrated");
      app.add_flag("--no-confirm", options->no_confirm,
                   "report what the analysis predicts without looking for a witness; may name pairs that are no races");
      app.add_flag("--no-deadlocks", options->no_deadlocks, "report races alone, and predict no deadlocks");
      app.add_option("--json", options->json, "write the report to this file as JSON; '-' is standard output");
      app.add_option("--sarif", options->sarif, "write the report to this file as SARIF 2.1.0");
      app.add_option("--html", options->html,
                     "write the report to this file as a page for a browser, complete in itself");
      add_text_options(app, options->text);
      app.add_option("--suppressions", options->suppressions, "a file of suppressions, in ThreadSanitizer's syntax");
      app.add_option("--keep", options->keep, "keep the trace in this file (.omen); of a forked process in FILE.PID");
      app.add_option("--folder", options->folder, "record into this folder; default: where temporary files belong");
      add_number(app, "--budget", options->budget, "how far to follow a predicted pair, as for vindicate");
      add_number(app, "--pairs", options->pairs,
                 "ask about at most this many pairs per pair of source locations; 0: while they are cheap");
      app.add_flag("--replay", options->replay,
                   "run the program again, three times for each race, led by the schedule that shows it, and say how "
                   "often that came to the race; these runs have no input, and their output is thrown away")
          ->excludes("--online");
      app.add_flag("--unconfirmed", options->unconfirmed,
                   "list what is predicted and not reported as well: excluded, or out of budget");
      add_number(app, "-j,--jobs", options->jobs, "threads to use for confirming");
      app.positionals_at_end();
      app.footer(
          "The program must have been compiled with omen-cc or omen-c++.\n"
          "Options from the environment (OMEN_OPTIONS=\"name=value:…\", after TSAN_OPTIONS for shared names):\n" +
          report::options_help() +
          "Exit code: 66 if a race or a deadlock is reported (or `exitcode`), else the program's own; 64 bad usage, 65 "
          "bad input.\n"
          "Example:\n  omen-c++ -g prog.cpp -o prog && omen run -- ./prog\n  omen run --online -- ./server");
      return [options] { return options->online.empty() ? run(*options) : run_online(*options); };
    }};

}  // namespace
}  // namespace omen::cli
