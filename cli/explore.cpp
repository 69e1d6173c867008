/// \file
/// `omen explore -- PROG ARGS…`: runs a program repeatedly, each time under another schedule, and reports all findings
/// (docs/explore.md).
#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <random>
#include <set>
#include <unordered_map>

#include "capture/runtime/schedule/explore/random.hpp"
#include "cli/command.hpp"
#include "cli/explore_workers.hpp"
#include "cli/preload.hpp"
#include "cli/progress.hpp"
#include "cli/report_log.hpp"
#include "cli/run_parts.hpp"
#include "report/race_text.hpp"

namespace omen::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  ExploreSettings settings;
  RunArguments files;  ///< the report files, and suppressions
  std::uint64_t runs = 0;
  std::uint64_t seconds = 0;
  std::optional<std::uint64_t> seed;
  std::uint64_t steps = 0;
  std::uint64_t jobs = 1;
  bool list = false;
  bool stop = false;  ///< after the first finding
};

constexpr std::uint64_t kRuns = 100;
constexpr std::uint64_t kFirstSteps = 64;  ///< PCT's k of the first run

/// Parses "90", "90s", "5m" or "1h" to seconds.
std::uint64_t seconds_in(const std::string& text) {
  std::size_t used = 0;
  std::uint64_t number = 0;
  try {
    number = std::stoull(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  const std::string unit = text.substr(used);
  const std::uint64_t factor = unit.empty() || unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
  if (used == 0 || text[0] == '-' || factor == 0 || number == 0) {
    throw CLI::ValidationError("--time", "expected a time such as 90, 90s, 5m or 1h, not '" + text + "'");
  }
  return number * factor;
}

class Exploring {
 public:
  Exploring(const Options& options, report::RunOptions environment, report::Suppressions suppressions)
      : options_(options),
        environment_(std::move(environment)),
        suppressions_(std::move(suppressions)),
        progress_("exploring") {
    all_.command = options.settings.command;
    all_.exploration = report::Exploration{.strategy = options.settings.strategy,
                                           .depth = options.settings.strategy == "pct" ? options.settings.depth : 0,
                                           .seed = *options.seed};
  }

  std::expected<int, InputError> explore() {
    ExploreWorkers workers(options_.settings, suppressions_, std::max<std::uint64_t>(1, options_.jobs));
    if (!workers.has_idle()) {
      return std::unexpected(
          InputError{"omen explore", "", fmt::format("cannot start a worker: {}", std::strerror(errno))});
    }
    const auto until = Clock::now() + std::chrono::seconds(options_.seconds);
    const auto more = [&] {
      if (options_.stop && all_.races.size() + all_.failures.size() != 0) return false;
      return options_.seconds != 0 ? Clock::now() < until : ordered_ < (options_.runs != 0 ? options_.runs : kRuns);
    };
    while (true) {
      while (workers.has_idle() && more()) {
        const std::uint64_t number = ++ordered_;
        const std::uint64_t seed = *options_.seed + number - 1;
        workers.give({.number = number, .seed = seed, .steps = steps(seed)});
      }
      if (!workers.has_busy()) break;
      auto done = workers.take();
      if (!done) return std::unexpected(std::move(done.error()));
      if (!done->run) return std::unexpected(std::move(done->run.error()));
      if (!done->run->controlled && all_.exploration->runs == 0) {
        return std::unexpected(InputError{options_.settings.command[0], "",
                                          "was not controlled: expected a program compiled with omen-cc or omen-c++, "
                                          "with the runtime of this omen, in a system that lets a process change its "
                                          "own code"});
      }
      if (auto ok = add(done->order, std::move(*done->run)); !ok) return std::unexpected(std::move(ok.error()));
    }
    return finish();
  }

 private:
  /// PCT's k: the steps of an earlier run, which the seed selects. The maximum would be sound too, but a single run in
  /// which a thread busy-waits may have a hundred times the steps of the others, and the probability of finding a bug
  /// of depth d falls with k^(d-1).
  std::uint64_t steps(std::uint64_t seed) const {
    if (options_.settings.strategy != "pct") return 0;
    if (options_.steps != 0) return options_.steps;
    if (steps_.empty()) return kFirstSteps;
    return steps_[rt::explore::Random(seed).next() % steps_.size()];
  }

  std::expected<void, InputError> print(const std::string& text) {
    progress_.clear();
    return log_.print(text, environment_, all_.process);
  }

  std::expected<void, InputError> add(const ExploreWorkers::Order& order, ExploredRun run) {
    report::Exploration& exploration = *all_.exploration;
    ++exploration.runs;
    exploration.points += run.points;
    exploration.released += run.released ? 1 : 0;
    steps_.push_back(std::max<std::uint64_t>(1, run.steps));
    schedules_.insert(run.schedule);
    if (exploration.runs == 1) {
      all_.process = run.report.process;
      all_.threads = run.report.threads;
      all_.exit = run.report.exit;
      all_.notes = run.report.notes;
    }
    if (options_.list) {
      fmt::print("{} {} {} {} {} {}\n", order.number, order.seed, run.schedule, run.points, run.threads,
                 run.why.empty() ? "killed" : run.why);
    }
    const report::Shown shown{.seed = order.seed, .run = order.number, .runs = 1, .steps = order.steps};
    for (report::Race& race : run.report.races) {
      if (auto ok = add(std::move(race), shown); !ok) return ok;
    }
    for (report::Failure& failure : run.report.failures) {
      if (auto ok = add(std::move(failure), shown); !ok) return ok;
    }
    progress_.show_text(fmt::format("run {}{}, {} schedules, {} found", exploration.runs,
                                    options_.seconds == 0 ? fmt::format(" of {}", options_.runs) : "",
                                    schedules_.size(), all_.races.size() + all_.failures.size()));
    return {};
  }

  std::expected<void, InputError> add(report::Race race, const report::Shown& shown) {
    const auto [entry, is_new] = races_.try_emplace(race.fingerprint, all_.races.size());
    if (!is_new) {
      report::Race& known = all_.races[entry->second];
      ++known.shown->runs;
      known.count += race.count;
      if (known.observed || !race.observed) return {};
      race.shown = shown;  // of the first run that shows it; earlier runs predicted it
      race.shown->runs = known.shown->runs;
      race.count = known.count;
      known = std::move(race);
      return print(finding_text(known, style()));
    }
    race.shown = shown;
    all_.races.push_back(std::move(race));
    return print(race_text(all_.races.back(), all_, style()));
  }

  std::expected<void, InputError> add(report::Failure failure, const report::Shown& shown) {
    const auto [entry, is_new] = failures_.try_emplace(failure.fingerprint, all_.failures.size());
    if (!is_new) {
      ++all_.failures[entry->second].shown->runs;
      return {};
    }
    failure.shown = shown;
    all_.failures.push_back(std::move(failure));
    return print(failure_text(all_.failures.back(), all_));
  }

  report::TextStyle style() const { return text_style({}, environment_); }

  std::expected<int, InputError> finish() {
    all_.exploration->schedules = schedules_.size();
    auto printed = print(exploration_text(*all_.exploration, all_.races.size(), all_.failures.size()));
    if (!printed) return std::unexpected(std::move(printed.error()));
    if (auto written = write_reports(options_.files, all_); !written) return std::unexpected(written.error());
    if (all_.races.empty() && all_.failures.empty()) return kExitNothingFound;
    return environment_.exitcode != 0 ? environment_.exitcode : kExitRaces;
  }

  const Options& options_;
  report::RunOptions environment_;
  report::Suppressions suppressions_;
  ReportLog log_;
  Progress progress_;
  report::RunReport all_;
  std::uint64_t ordered_ = 0;
  std::vector<std::uint64_t> steps_;  ///< of each run so far
  std::set<std::string> schedules_;
  std::unordered_map<std::string, std::size_t> races_;     ///< by fingerprint, in `all_`
  std::unordered_map<std::string, std::size_t> failures_;  ///< by fingerprint, in `all_`
};

std::expected<int, InputError> explore(Options& options) {
  if (options.runs == 0 && options.seconds == 0) options.runs = kRuns;
  if (!options.seed) options.seed = std::random_device{}();
  options.settings.shows_output = options.runs == 1;
  auto environment = options_of("");
  if (!environment) return std::unexpected(std::move(environment.error()));
  auto suppressions = read_suppressions(options.files, *environment);
  if (!suppressions) return std::unexpected(std::move(suppressions.error()));
  return Exploring(options, std::move(*environment), std::move(*suppressions)).explore();
}

const Command command{
    "explore", "Run a program again and again under schedules that omen chooses, and report what any of them shows",
    [](CLI::App& app) -> Action {
      auto options = std::make_shared<Options>();
      ExploreSettings& settings = options->settings;
      app.add_option("PROGRAM", settings.command,
                     "the program, best a single test; all that follows are its arguments, with or without -- in front")
          ->required();
      CLI::Option* const runs = add_number(app, "--runs", options->runs, "how often to run it; default: 100");
      app.add_option_function<std::string>(
             "--time", [options](const std::string& text) { options->seconds = seconds_in(text); },
             "start runs for this long instead: 90, 90s, 5m, 1h")
          ->type_name("T")
          ->excludes(runs);
      app.add_option("--strategy", settings.strategy,
                     "pos: partial-order sampling; pct: few preemptions at random steps; random: a random walk")
          ->check(CLI::IsMember({"pos", "pct", "random"}))
          ->type_name("S");
      app.add_option_function<std::uint64_t>(
             "--seed", [options](const std::uint64_t& seed) { options->seed = seed; },
             "of the first run; the n-th run has SEED + n - 1. The same seed leads to the same schedule. "
             "Default: a random one")
          ->type_name("N");
      add_number(app, "--depth", settings.depth, "of pct: how many ordering constraints a bug needs; default: 3");
      add_number(
          app, "--steps", options->steps,
          "of pct: how many scheduling points a run has; default: as many as an earlier run had, chosen by the seed");
      app.add_option("--analysis", settings.analysis, "the analysis that watches each run; default: st-dc")
          ->check(CLI::IsMember({"fto-hb", "st-wcp", "st-dc", "st-wdc"}))
          ->type_name("A");
      add_number(app, "--timeout", settings.timeout, "seconds that a run may take before it is a hang; default: 60");
      add_number(app, "--points", settings.points,
                 "scheduling points after which a run goes on freely; default: 2000000");
      add_number(app, "-j,--jobs", options->jobs, "runs at the same time; default: 1");
      app.add_flag("--stop", options->stop, "start no further run once something was found");
      app.add_flag(
          "--list", options->list,
          "print a line for each run: number, seed, a digest of its schedule, scheduling points, threads, end");
      add_preload(app);
      app.add_option("--json", options->files.json, "write the report to this file as JSON; '-' is standard output");
      app.add_option("--sarif", options->files.sarif, "write the report to this file as SARIF 2.1.0");
      app.add_option("--suppressions", options->files.suppressions,
                     "a file of suppressions, in ThreadSanitizer's syntax");
      app.add_flag("--no-builtin-suppressions", options->files.no_builtin_suppressions,
                   "report the C++ library's known races with itself too");
      app.positionals_at_end();
      app.footer(
          "The program must have been compiled with omen-cc or omen-c++. Races, crashes, failed assertions, "
          "deadlocks,\n"
          "hangs, lost wake-ups and exit codes other than 0 are findings. With --runs 1 the program has our input and\n"
          "output; otherwise it has none.\n"
          "Exit code: 66 if something was found, 0 if not; 64 bad usage, 65 bad input.\n"
          "Example:\n  omen-c++ -g test.cpp -o test && omen explore --runs 500 -- ./test\n"
          "  omen explore --seed 42 --runs 1 -- ./test");
      return [options] { return explore(*options); };
    }};

}  // namespace
}  // namespace omen::cli
