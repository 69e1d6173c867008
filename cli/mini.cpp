/// \file
/// `omen mini run|explore|instrument|trace PROG.mini`: the small language of docs/mini.md.
#include <charconv>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/command.hpp"
#include "cli/mini_output.hpp"
#include "cli/output.hpp"
#include "mini/checker.hpp"
#include "mini/explore.hpp"
#include "mini/instrument.hpp"
#include "mini/paths.hpp"
#include "mini/recorder.hpp"
#include "trace/formats/format.hpp"
#include "trace/values/value_format.hpp"

namespace omen::cli {
namespace {

struct Options {
  std::string program;
  std::uint64_t seed = 1;
  std::string schedule;
  std::uint64_t steps = mini::kMaxSteps;
  std::string json;
  std::string out = "-";
  std::string values;
  bool paths = false;
  std::string method = "auto";
  std::uint64_t most_states = mini::ExploreLimits{}.states;
  std::uint64_t most_steps = mini::ExploreLimits{}.steps;
  std::uint64_t most = 20;
  std::uint64_t threads = 0;
};

/// Parses `0*3,1`: thread 0 three times, then thread 1.
mini::Schedule parse_schedule(const std::string& text) {
  mini::Schedule schedule;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto fail = [&] { throw CLI::ValidationError("--schedule", "expected a list as 0*3,1,2, not '" + text + "'"); };
  const auto number = [&] {
    std::uint32_t value = 0;
    const auto [stop, error] = std::from_chars(at, end, value);
    if (error != std::errc{}) fail();
    at = stop;
    return value;
  };
  while (at != end) {
    const std::uint32_t thread = number();
    std::uint32_t count = 1;
    if (at != end && *at == '*') {
      ++at;
      count = number();
    }
    if (thread > mini::kMaxThread || count > mini::kMaxSteps - schedule.size()) fail();
    schedule.insert(schedule.end(), count, thread);
    if (at == end) break;
    if (*at++ != ',' || at == end) fail();
  }
  return schedule;
}

/// The scheduler that the options select.
class Choices {
 public:
  explicit Choices(const Options& options) {
    if (options.schedule.empty()) {
      scheduler_ = std::make_unique<mini::RandomScheduler>(options.seed);
    } else {
      auto fixed = std::make_unique<mini::FixedScheduler>(parse_schedule(options.schedule));
      fixed_ = fixed.get();
      scheduler_ = std::move(fixed);
    }
  }
  mini::Scheduler& scheduler() { return *scheduler_; }
  /// Rejects a schedule that the program cannot follow.
  void check() const {
    if (fixed_ == nullptr || !fixed_->refused()) return;
    throw CLI::ValidationError("--schedule",
                               "the thread of step " + std::to_string(fixed_->used()) + " cannot run then");
  }

 private:
  std::unique_ptr<mini::Scheduler> scheduler_;
  const mini::FixedScheduler* fixed_ = nullptr;
};

/// Prints what the program prints.
class Prints final : public mini::Observer {
 public:
  void local(const mini::Machine& machine, mini::ThreadNumber t, const mini::Instruction& i) override {
    if (i.code != mini::OpCode::Print || !shown) return;
    std::printf("%s: %s\n", mini::thread_name(t).c_str(), value_text(i.type, machine.reg(t, i.a)).c_str());
  }
  bool shown = true;
};

std::expected<int, InputError> run_once(const Options& options) {
  Choices choices(options);
  const auto program = mini::load_file(options.program);
  if (!program) return std::unexpected(program.error());
  const mini::Code code = mini::compile(*program);
  Prints prints;
  prints.shown = options.json != "-";
  mini::Machine machine(code, mini::Machine::Limits{}, &prints);
  const mini::Run run = mini::run(machine, choices.scheduler(), &prints, options.steps);
  choices.check();
  if (options.json != "-") std::fputs(describe(run, machine).c_str(), stdout);
  if (!options.json.empty()) {
    if (auto written = write_json(options.json, to_json(run, machine, options.program)); !written) {
      return std::unexpected(written.error());
    }
  }
  const bool bad = run.outcome == mini::Outcome::Fault || run.outcome == mini::Outcome::Deadlock;
  return bad ? kExitRaces : kExitNothingFound;
}

std::expected<int, InputError> explore(const Options& options) {
  const auto program = mini::load_file(options.program);
  if (!program) return std::unexpected(program.error());
  const mini::Code code = mini::compile(*program);
  const mini::ExploreLimits limits{.states = options.most_states, .steps = options.most_steps};
  std::string method = options.method == "states" ? "states" : "traces";
  mini::Exploration found = method == "states" ? explore_states(code, limits) : explore_traces(code, limits);
  if (options.method == "auto" && !found.exhaustive) {
    mini::Exploration other = explore_states(code, limits);
    if (other.exhaustive || found.limit == "depth") {
      found = std::move(other);
      method = "states";
    }
  }
  if (options.json != "-") {
    std::fputs(describe(found, code, method, static_cast<std::size_t>(options.most)).c_str(), stdout);
  }
  if (!options.json.empty()) {
    if (auto written = write_json(options.json, to_json(found, code, options.program, method)); !written) {
      return std::unexpected(written.error());
    }
  }
  const bool nothing = found.races.empty() && found.faults.empty() && found.deadlocks.empty();
  return nothing ? kExitNothingFound : kExitRaces;
}

std::expected<int, InputError> trace(const Options& options) {
  Choices choices(options);
  const auto program = mini::load_file(options.program);
  if (!program) return std::unexpected(program.error());
  const mini::Code code = mini::compile(*program);
  mini::Recording recording = mini::record(code, choices.scheduler(), options.steps);
  choices.check();
  const values::Projection projection = values::project(recording.trace);
  auto sink = create_trace(options.out);
  if (!sink) return std::unexpected(sink.error());
  const Names& names = projection.trace.names;
  if (auto ok = (*sink)->write(projection.trace.events, names); !ok) return std::unexpected(ok.error());
  if (auto ok = (*sink)->finish(names); !ok) return std::unexpected(ok.error());
  if (!options.values.empty()) {
    const auto provider = mini::path_provider(code, recording.run.schedule);
    if (options.paths) values::carry_paths(recording.trace, *provider);
    const auto text = values::write_values(recording.trace, options.values);
    if (!text) return std::unexpected(text.error());
    if (auto ok = write_text(options.values, *text); !ok) return std::unexpected(ok.error());
  }
  return kExitNothingFound;
}

std::expected<int, InputError> instrument(const Options& options) {
  const auto program = mini::load_file(options.program);
  if (!program) return std::unexpected(program.error());
  if (options.threads > mini::kMaxThread + 1) {
    throw CLI::ValidationError("--threads", "expected at most " + std::to_string(mini::kMaxThread + 1));
  }
  const auto threads = options.threads == 0 ? std::nullopt : std::optional(static_cast<std::uint32_t>(options.threads));
  auto source = mini::instrument(*program, threads);
  if (!source) {
    source.error().file = options.program;
    return std::unexpected(source.error());
  }
  if (auto ok = write_text(options.out, *source); !ok) return std::unexpected(ok.error());
  return kExitNothingFound;
}

using Work = std::expected<int, InputError> (*)(const Options& options);

const Command command{
    "mini", "Run, explore, instrument or trace a program of the small language", [](CLI::App& app) -> Action {
      auto options = std::make_shared<Options>();
      auto chosen = std::make_shared<Work>(nullptr);
      const auto add = [&](const char* name, const char* help, Work work) {
        CLI::App* sub = app.add_subcommand(name, help);
        sub->add_option("PROGRAM", options->program, "the program, NAME.mini")->required();
        sub->callback([chosen, work] { *chosen = work; });
        return sub;
      };
      const auto add_schedule = [&](CLI::App* sub) {
        add_number(*sub, "--seed", options->seed, "random choices of who runs; the same seed, the same run");
        sub->add_option(
               "--schedule", options->schedule,
               "who runs, step by step: 0*3,1 is main three times, then thread 1; then the least thread that can")
            ->type_name("LIST");
        add_number(*sub, "--max-steps", options->steps, "cut the run after so many steps");
      };
      app.require_subcommand(1);

      CLI::App* run = add("run", "Run it once", run_once);
      add_schedule(run);
      run->add_option("--json", options->json, "write the outcome to this file; '-' is standard output");
      run->footer(
          "Exit code: 0 the program finished or was cut, 66 it stopped at a fault or a deadlock, 65 bad program.");

      CLI::App* all = add("explore", "Explore all schedules: races, faults, deadlocks, results", explore);
      all->add_option("--method", options->method,
                      "traces: one schedule of each equivalence class; states: every state; auto: traces, and states "
                      "where executions do not end")
          ->check(CLI::IsMember({"auto", "traces", "states"}));
      add_number(*all, "--max-states", options->most_states, "give up after so many states");
      add_number(*all, "--max-steps", options->most_steps, "give up after so many steps");
      add_number(*all, "--most", options->most, "show at most this many of each kind; 0: all");
      all->add_option("--json", options->json, "write all findings to this file; '-' is standard output");
      all->footer(
          "A race is a pair of conflicting accesses that are both next in some reachable state.\n"
          "Exit code: 0 nothing found (in what was explored, see the last line), 66 races, faults or deadlocks, 65 bad "
          "program.");

      CLI::App* recorded = add("trace", "Run it once and write its trace", trace);
      add_schedule(recorded);
      recorded->add_option("-o,--out", options->out,
                           "the trace: NAME.omen is binary, others are STD; '-' is standard output");
      recorded->add_option("--values", options->values, "also write the value trace, for omen relax, to this file");
      recorded->add_flag("--paths", options->paths,
                         "with --values: and the ways that threads could go from the other "
                         "sides of their branches");
      recorded->footer("Example:\n  omen mini trace p.mini -o p.std --values p.values && omen analyze p.std");

      CLI::App* pass = add("instrument", "Write the program with vector-clock race detection in it", instrument);
      pass->add_option("-o,--out", options->out, "the instrumented program; '-' is standard output");
      add_number(*pass, "--threads", options->threads,
                 "one more than the largest number of a thread; 0: as the program's constants say");
      pass->footer("Example:\n  omen mini instrument p.mini -o i.mini && omen mini explore i.mini");

      app.footer("The language: docs/mini.md. `omen mini COMMAND --help` explains a command.");
      return [options, chosen] { return (*chosen)(*options); };
    }};

}  // namespace
}  // namespace omen::cli
