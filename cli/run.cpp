/// \file
/// `omen run -- PROG ARGS…`: runs an instrumented program, analyses the run, confirms predictions, and reports. Races
/// that happens-before shows in this run need no confirmation; predicted ones are reported if there is a witness
/// (cli/analysed_run.hpp). With `--online` the detector in the program finds the races (cli/online_run.hpp).
#include <map>
#include <memory>
#include <string>

#include "cli/analysis_names.hpp"
#include "cli/command.hpp"
#include "cli/online_run.hpp"
#include "cli/preload.hpp"
#include "cli/repeated_runs.hpp"
#include "cli/run_parts.hpp"

namespace omen::cli {
namespace {

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
      app.add_option(
             "--candidates", options->candidates,
             "which pairs of accesses to look for a witness for: wdc, what --analysis predicts; lw, "
             "also pairs that every relation orders, as far as a witness is found cheaply; data, the same "
             "where counters and the like may have other values; if the program was compiled with --omen-values: "
             "value, also where reads return what they did from another write; control, where they return "
             "something else and no branch follows; relax, where branches go as they did; paths (default), "
             "where a branch goes the other way")
          ->type_name("wdc|lw|data|value|control|relax|paths")
          ->transform(CLI::CheckedTransformer(std::map<std::string, Candidates>{{"wdc", Candidates::Relation},
                                                                                {"lw", Candidates::Lw},
                                                                                {"data", Candidates::Data},
                                                                                {"value", Candidates::Value},
                                                                                {"control", Candidates::Control},
                                                                                {"relax", Candidates::Relax},
                                                                                {"paths", Candidates::Paths}})
                          .description(""));  // it would print the values as characters
      add_number(app, "--values-budget", options->values_budget,
                 "how far to follow what reads may return, as --budget of relax");
      app.add_flag("--no-replay", options->no_replay,
                   "do not run the program again for races that rest on what reads return: they stay candidates");
      app.add_flag("--show-candidates", options->show_candidates,
                   "list what rests on what reads return and was not executed");
      app.add_flag(
          "--confirm{3}", options->confirm,
          "with --online: run the program again, up to three times (--confirm=N: N times) for each prediction, "
          "with threads that wait for each other at the two places; says which races are demonstrated");
      app.add_flag("--no-confirm", options->no_confirm,
                   "report what the analysis predicts without looking for a witness; may name pairs that are no races");
      app.add_flag("--no-deadlocks", options->no_deadlocks, "report races alone, and predict no deadlocks");
      app.add_option("--json", options->json,
                     "write the report to this file as JSON; '-' is standard output, and the program's own "
                     "output goes to standard error");
      app.add_option("--sarif", options->sarif, "write the report to this file as SARIF 2.1.0");
      app.add_option("--html", options->html,
                     "write the report to this file as a page for a browser, complete in itself");
      add_text_options(app, options->text);
      app.add_option("--suppressions", options->suppressions, "a file of suppressions, in ThreadSanitizer's syntax");
      app.add_flag("--no-builtin-suppressions", options->no_builtin_suppressions,
                   "report the C++ library's known races with itself too");
      app.add_option("--keep", options->keep,
                     "keep the trace in this file (.omen); of a forked process in FILE.PID, of the second run in "
                     "FILE.run2");
      add_preload(app);
      app.add_option("--folder", options->folder, "record into this folder; default: where temporary files belong");
      add_number(app, "--budget", options->budget, "how far to follow a predicted pair, as for vindicate");
      add_number(app, "--pairs", options->pairs,
                 "ask about at most this many pairs per pair of source locations; 0: while they are cheap");
      app.add_flag("--replay", options->replay,
                   "run the program again, three times for each race, led by the schedule that shows it, and say how "
                   "often that came to the race; these runs have no input, and their output is thrown away")
          ->excludes("--online");
      add_number(app, "--runs", options->runs,
                 "run the program so many times; each race is reported once, with the number of runs that showed it")
          ->excludes("--replay");
      add_fail_on(app, options->fail_on, options->baseline);
      app.add_flag("--unconfirmed", options->unconfirmed,
                   "list what is predicted and not reported as well: excluded, or out of budget");
      add_number(app, "-j,--jobs", options->jobs, "threads to use for confirming");
      app.positionals_at_end();
      app.footer(
          "The program must have been compiled with omen-cc or omen-c++, or with --preload its libraries.\n"
          "Options from the environment (OMEN_OPTIONS=\"name=value:…\", after TSAN_OPTIONS for shared names):\n" +
          report::options_help() +
          "Exit code: 66 (or `exitcode`) if the run fails: by default, if a race is reported that the run shows or "
          "that "
          "a witness confirms, or a deadlock; --fail-on selects otherwise. Else the program's own; 64 bad usage, 65 "
          "bad "
          "input.\n"
          "Example:\n  omen-c++ -g prog.cpp -o prog && omen run -- ./prog\n  omen run --online -- ./server");
      return [options] {
        if (!options->online.empty() && find_analysis(options->command.front()) != nullptr) {
          throw CLI::ValidationError("--online", "expected --online=" + options->command.front() + ", with '='");
        }
        if (options->runs == 0) throw CLI::ValidationError("--runs", "expected a number from 1 on");
        return run_all(*options);
      };
    }};

}  // namespace
}  // namespace omen::cli
