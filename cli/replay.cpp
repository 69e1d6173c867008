/// \file
/// `omen replay REPORT.json -- PROG ARGS…`: reproduces a race or a deadlock of a report in the program itself
/// (docs/replay.md).
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <memory>
#include <optional>

#include "cli/command.hpp"
#include "cli/preload.hpp"
#include "cli/replay_run.hpp"
#include "embedded/omen_gdb.hpp"
#include "report/build_deadlocks.hpp"
#include "report/race_json.hpp"
#include "report/whole_file.hpp"

namespace omen::cli {
namespace {

struct Options {
  std::string report;
  std::vector<std::string> command;
  std::uint64_t race = 0;      ///< from 1; 0: the first race that can be replayed
  std::uint64_t deadlock = 0;  ///< from 1; 0: a race, or the first deadlock that can be replayed if no race can
  std::uint64_t runs = 3;
  std::uint64_t patience = 5;
  bool gdb = false;
  std::vector<std::string> gdb_commands;
};

const char* why_no_plan(const report::Race& race) {
  if (!race.no_replay.empty()) return race.no_replay.c_str();
  if (race.online) return "it was found while the program ran, which looks for no witness";
  return "the report does not say how";
}

std::expected<const report::Race*, InputError> choose(const report::RunReport& report, const Options& options) {
  const auto wrong = [&](std::string expected) { return std::unexpected(InputError{options.report, "", expected}); };
  if (report.races.empty()) return wrong("the report has no races and no deadlocks; expected one to replay");
  if (options.race != 0) {
    if (options.race > report.races.size()) {
      throw CLI::ValidationError("--race", fmt::format("the report has {} races", report.races.size()));
    }
    const report::Race& race = report.races[options.race - 1];
    if (race.replay) return &race;
    return wrong(
        fmt::format("race {} cannot be replayed: {}; expected a report that `omen run --json` wrote "
                    "without --online, or with --record",
                    options.race, why_no_plan(race)));
  }
  for (const report::Race& race : report.races) {
    if (race.replay) return &race;
  }
  return wrong(
      fmt::format("none of its {} races can be replayed: {}; expected a report that `omen run --json` wrote "
                  "without --online, or with --record",
                  report.races.size(), why_no_plan(report.races.front())));
}

/// The requested deadlock, or the first one if no race can be replayed; none: a race is replayed.
std::expected<const report::Deadlock*, InputError> choose_deadlock(const report::RunReport& report,
                                                                   const Options& options) {
  if (options.deadlock != 0) {
    if (options.deadlock > report.deadlocks.size()) {
      throw CLI::ValidationError("--deadlock", fmt::format("the report has {} deadlocks", report.deadlocks.size()));
    }
    const report::Deadlock& deadlock = report.deadlocks[options.deadlock - 1];
    if (deadlock.replay) return &deadlock;
    return std::unexpected(
        InputError{options.report, "",
                   fmt::format("deadlock {} cannot be replayed: {}", options.deadlock,
                               deadlock.no_replay.empty() ? "the report does not say how" : deadlock.no_replay)});
  }
  const auto has_plan = [](const auto& one) { return one.replay.has_value(); };
  if (options.race != 0 || std::ranges::any_of(report.races, has_plan)) return nullptr;
  const auto found = std::ranges::find_if(report.deadlocks, has_plan);
  return found == report.deadlocks.end() ? nullptr : &*found;
}

std::string label(const report::Race& race, std::uint32_t thread) {
  return ReplayGoal(race).label(thread);
}

/// The bytes as the number that they represent in memory, if there are few enough.
std::string value_text(const std::string& digits) {
  if (digits.empty() || digits == "?") return "not readable";
  const std::size_t bytes = digits.size() / 2;
  if (bytes > 8 || (bytes & (bytes - 1)) != 0) return "0x" + digits;
  std::uint64_t value = 0;
  for (std::size_t i = bytes; i-- > 0;) {
    unsigned byte = 0;
    std::from_chars(digits.data() + 2 * i, digits.data() + 2 * i + 2, byte, 16);
    value = value << 8 | byte;
  }
  return value < 10 ? std::to_string(value) : fmt::format("{} ({:#x})", value, value);
}

void print_stacks(const ReplayOutcome& outcome, const report::Race& race) {
  for (std::size_t side = 0; side < 2; ++side) {
    const ReplayedAccess& access = outcome.accesses[side];
    const bool held = !race.replay->targets[side].passes;
    fmt::print("  {} {} {} a {} of {} {} at {:#x}:\n", label(race, access.thread), held ? "stopped" : "came",
               held ? "in front of" : "by", access.write ? "write" : "read", access.bytes,
               access.bytes == 1 ? "byte" : "bytes", access.address);
    std::size_t number = 0;
    for (const std::string& line : frame_lines(access.stack)) fmt::print("    #{} {}\n", number++, line);
    fmt::print("\n");
  }
}

void print_values(const ReplayOutcome& outcome, const report::Race& race) {
  const std::uint32_t first = outcome.first;
  const auto one = [&](std::uint32_t side) {
    const ReplayedAccess& access = outcome.accesses[side];
    const std::string& after = outcome.after[side];
    if (after.empty()) return fmt::format("{} not seen", label(race, access.thread));
    return fmt::format("after the {} by {}: {}", access.write ? "write" : "read", label(race, access.thread),
                       value_text(after));
  };
  if (race.replay->targets[1 - first].passes) {
    fmt::print("    {} last: before: {}; {}\n", label(race, outcome.accesses[first].thread), value_text(outcome.before),
               one(first));
    return;
  }
  fmt::print("    {} first: before: {}; {}; {}\n", label(race, outcome.accesses[first].thread),
             value_text(outcome.before), one(first), one(1 - first));
}

InputError unclaimed(const Options& options, const report::ReplayPlan& plan) {
  return {options.command[0], "",
          fmt::format("did not take the order: expected {}, compiled with omen-cc or omen-c++ of this omen",
                      plan.modules.empty() ? "the report's program" : plan.modules[0].path)};
}

void print_stuck(const ReplayOutcome& outcome, const report::Deadlock& deadlock) {
  fmt::print("The threads of the deadlock are stuck:\n\n");
  for (const ReplayedWait& wait : outcome.waits) {
    const auto member = std::ranges::find(deadlock.waiting, wait.thread, &report::WaitingThread::thread);
    if (member == deadlock.waiting.end()) continue;
    const auto number = static_cast<std::size_t>(member - deadlock.waiting.begin());
    fmt::print("  {} {}{}:\n", ReplayGoal(deadlock).label(wait.thread), waiting_words(deadlock, number),
               member->holds ? ", and holds " + report::lock_title(*member->holds) : "");
    std::size_t frame = 0;
    for (const std::string& line : frame_lines(wait.stack)) fmt::print("    #{} {}\n", frame++, line);
    fmt::print("\n");
  }
  fmt::print("  None of them can go on. The program was ended.\n");
}

std::expected<int, InputError> replay(const Options& options, const report::Deadlock& deadlock) {
  std::uint64_t reached = 0;
  for (std::uint64_t run = 0; run < options.runs; ++run) {
    const auto outcome = replay_once({.plan = *deadlock.replay,
                                      .command = options.command,
                                      .patience = static_cast<std::uint32_t>(options.patience)});
    if (!outcome) return std::unexpected(outcome.error());
    if (outcome->end == ReplayOutcome::End::Unclaimed) return std::unexpected(unclaimed(options, *deadlock.replay));
    if (outcome->end == ReplayOutcome::End::Reached) {
      if (reached++ == 0) print_stuck(*outcome, deadlock);
    } else {
      fmt::print("Run {} {}\n", run + 1, divergence_text(*outcome, ReplayGoal(deadlock)));
    }
    std::fflush(stdout);
  }
  fmt::print("\nReplayed in {} of {} runs.\n", reached, options.runs);
  return reached != 0 ? kExitRaces : kExitNothingFound;
}

std::expected<int, InputError> replay(const Options& options, const report::Race& race) {
  std::uint64_t reached = 0;
  std::map<std::uint32_t, ReplayOutcome> orders;
  bool stuck = false;
  for (std::uint64_t run = 0; run < options.runs; ++run) {
    // Alternates the order of the accesses, beginning with the recorded one.
    const std::uint32_t first = orders.contains(1) && !orders.contains(0) ? 0 : orders.size() == 2 ? run % 2 : 1;
    auto outcome = replay_once({.plan = *race.replay,
                                .command = options.command,
                                .first = first,
                                .patience = static_cast<std::uint32_t>(options.patience)});
    if (!outcome) return std::unexpected(std::move(outcome.error()));
    if (outcome->end == ReplayOutcome::End::Unclaimed) return std::unexpected(unclaimed(options, *race.replay));
    if (outcome->end == ReplayOutcome::End::Reached) {
      ++reached;
      if (orders.empty()) {
        fmt::print("Both threads of the {} {}:\n\n", race.headline(),
                   race.replay->targets[1].passes ? "came to their accesses" : "stand at their accesses");
        print_stacks(*outcome, race);
        fmt::print("  The memory's value:\n");
      }
      if (!orders.contains(outcome->first)) print_values(*outcome, race);
      orders.emplace(outcome->first, std::move(*outcome));
    } else {
      fmt::print("Run {} {}\n", run + 1, divergence_text(*outcome, ReplayGoal(race)));
    }
    stuck = stuck || outcome->ended_stuck;
    std::fflush(stdout);
  }
  if (stuck) fmt::print("\nA run was stuck after that: none of its threads could go on. It was ended.\n");
  fmt::print("\nReplayed in {} of {} runs.\n", reached, options.runs);
  return reached != 0 ? kExitRaces : kExitNothingFound;
}

/// Runs the program under gdb, which stops where both threads are before their accesses.
std::expected<int, InputError> debug(const Options& options, const report::Race& race) {
  const auto folder = TemporaryFolder::create("");
  if (!folder) return std::unexpected(folder.error());
  const std::string script = folder->path() + "/omen_gdb.py";
  std::ofstream(script) << embedded::omen_gdb;
  std::vector<std::string> command{"gdb", "-q"};
  if (!options.gdb_commands.empty()) command.emplace_back("-batch");
  command.insert(command.end(), {"-x", script, "-ex", "omen start"});
  for (const std::string& text : options.gdb_commands) command.insert(command.end(), {"-ex", text});
  command.emplace_back("--args");
  command.insert(command.end(), options.command.begin(), options.command.end());
  const auto outcome = replay_once({.plan = *race.replay,
                                    .command = command,
                                    .hold = true,
                                    .patience = static_cast<std::uint32_t>(options.patience)});
  if (!outcome) return std::unexpected(outcome.error());
  if (outcome->end == ReplayOutcome::End::Reached) return kExitRaces;
  fmt::print("The run {}\n", divergence_text(*outcome, ReplayGoal(race)));
  return kExitNothingFound;
}

std::expected<int, InputError> run(const Options& options) {
  const auto document = report::whole_file(options.report);
  if (!document) return std::unexpected(document.error());
  const auto report = report::report_from_json(*document, options.report);
  if (!report) return std::unexpected(report.error());
  const auto deadlock = choose_deadlock(*report, options);
  if (!deadlock) return std::unexpected(deadlock.error());
  if (*deadlock != nullptr) {
    if (options.gdb || !options.gdb_commands.empty()) throw CLI::ValidationError("--gdb", "expected a race");
    return replay(options, **deadlock);
  }
  const auto race = choose(*report, options);
  if (!race) return std::unexpected(race.error());
  return options.gdb || !options.gdb_commands.empty() ? debug(options, **race) : replay(options, **race);
}

const Command command{
    "replay", "Make a race or a deadlock of a report happen: the program runs again, led by the schedule that shows it",
    [](CLI::App& app) -> Action {
      auto options = std::make_shared<Options>();
      app.add_option("REPORT", options->report, "what run --json wrote; '-' is standard input")->required();
      app.add_option("PROGRAM", options->command, "the program that the report is of, behind --, and its arguments")
          ->required();
      add_number(app, "--race", options->race,
                 "the number of the race in the report, from 1; else the first that has a plan");
      add_number(
          app, "--deadlock", options->deadlock,
          "the number of the deadlock in the report, from 1; else a race, or the first deadlock if no race has a plan");
      add_number(app, "--runs", options->runs, "run the program so many times (3)");
      add_number(app, "--patience", options->patience,
                 "seconds to wait for a thread that is blocked outside of the order (5)");
      app.add_flag(
          "--gdb", options->gdb,
          "stop in gdb with both threads at the racing accesses; commands there: omen race, omen step [THREAD]");
      add_preload(app);
      app.add_option("--gdb-command", options->gdb_commands,
                     "run this command in gdb at the stop, without asking for others; may be repeated")
          ->expected(1)
          ->take_all()
          ->trigger_on_parse(false);
      app.footer(
          "The same binary as for the report; the report must come from `omen run --json`, without --online or with\n"
          "--record. Between its synchronisations a thread runs freely; it is held where the schedule has another\n"
          "thread first. When both accesses were made, or the run has left the schedule, the program goes on freely.\n"
          "Exit code: 66 if a run came to the race or the deadlock, 0 if none did; 64 bad usage, 65 bad input, also a "
          "report without "
          "a\n"
          "plan for the race.\n"
          "Example:\n  omen run --json r.json -- ./prog; omen replay r.json -- ./prog\n"
          "  omen replay --race 2 --gdb r.json -- ./prog");
      return [options] { return run(*options); };
    }};

}  // namespace
}  // namespace omen::cli
