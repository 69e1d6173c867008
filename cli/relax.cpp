/// \file
/// `omen relax TRACE-OR-PROGRAM`: predicts races in one of the models of docs/relaxation.md. A program is run once
/// first.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <thread>

#include "cli/command.hpp"
#include "cli/progress.hpp"
#include "cli/relax_output.hpp"
#include "mini/checker.hpp"
#include "mini/code.hpp"
#include "mini/paths.hpp"
#include "mini/recorder.hpp"
#include "mini/reexecute.hpp"
#include "relax/predict.hpp"
#include "trace/formats/byte_source.hpp"
#include "trace/values/value_format.hpp"
#include "trace/values/values_check.hpp"

namespace omen::cli {
namespace {

using relax::Answer;
using relax::Model;
using relax::Settings;
using relax::Subject;

constexpr std::uint64_t kDefaultBudget = 2000;

struct Options {
  std::string input;
  std::string model;
  std::string pair;
  bool unconfirmed = false;
  std::string json;
  std::string dump;
  std::uint64_t budget = kDefaultBudget;
  std::uint64_t seed = 1;
  std::uint64_t jobs = std::max(1U, std::thread::hardware_concurrency());
  std::uint64_t most = 20;
  bool artificial_branches = false;
  bool every = false;
};

/// The data of the three kinds of input, and the subject that refers to it.
struct Input {
  std::optional<Trace> plain;
  std::optional<mini::Code> code;
  std::optional<values::ValueTrace> values;
  std::unique_ptr<values::PathProvider> paths;
  std::unique_ptr<values::Reexecutor> reexecutor;

  Subject subject() {
    return {.plain = plain ? &*plain : nullptr,
            .values = values ? &*values : nullptr,
            .paths = paths.get(),
            .reexecutor = reexecutor.get()};
  }
};

std::expected<std::string, InputError> read_all(const std::string& path) {
  auto bytes = open_bytes(path);
  if (!bytes) return std::unexpected(std::move(bytes.error()));
  std::string text;
  std::string block(std::size_t{1} << 20, '\0');
  while (true) {
    const auto count = read_fully(**bytes, block);
    if (!count) return std::unexpected(count.error());
    text.append(block, 0, *count);
    if (*count < block.size()) return text;
  }
}

std::expected<void, InputError> run_program(Input& input, const Options& options) {
  auto program = mini::load_file(options.input);
  if (!program) return std::unexpected(std::move(program.error()));
  input.code.emplace(mini::compile(*program));
  mini::RandomScheduler scheduler(options.seed);
  mini::Recording recording = mini::record(*input.code, scheduler);
  input.values.emplace(std::move(recording.trace));
  if (const auto good = values::check(*input.values); !good) {
    internal_error(__FILE__, __LINE__,
                   fmt::format("the recorded event {} is wrong: {}", good.error().event, good.error().message));
  }
  input.paths = mini::path_provider(*input.code, std::move(recording.run.schedule));
  input.reexecutor = mini::reexecutor(*input.code);
  return {};
}

std::expected<void, InputError> load_input(Input& input, const Options& options) {
  if (options.input.ends_with(".mini")) return run_program(input, options);
  auto content = read_all(options.input);
  if (!content) return std::unexpected(std::move(content.error()));
  const std::string name = options.input == "-" ? "standard input" : options.input;
  // Comments and blank lines may precede the first line.
  std::string_view start = *content;
  while (!start.empty() &&
         (start.front() == '#' || start.front() == '\n' || start.front() == '\r' || start.front() == ' ')) {
    start.remove_prefix(start.front() == '#' ? std::min(start.find('\n'), start.size()) : 1);
  }
  if (start.starts_with(values::kValueMagic)) {
    auto trace = values::parse_values(*content, name);
    if (!trace) return std::unexpected(std::move(trace.error()));
    input.values.emplace(std::move(*trace));
    if (input.values->carries_paths) input.paths = std::make_unique<values::CarriedPaths>();
    return {};
  }
  const bool binary = content->starts_with('\x89');
  auto trace = load(binary ? read_omen(std::move(*content), name) : read_std(std::move(*content), name));
  if (!trace) return std::unexpected(std::move(trace.error()));
  input.plain.emplace(std::move(*trace));
  return {};
}

/// The model that finds most of those that the input allows, unless another allowed one is requested.
Model choose_model(const Options& options, const Input& input) {
  const Model most = input.plain ? Model::Lw : input.paths ? Model::Paths : Model::Relax;
  if (options.model.empty()) return most;
  const Model model = *relax::parse_model(options.model);
  if (policy(model).needs_values && input.plain) {
    throw CLI::ValidationError("--model", fmt::format("'{}' needs a program or a value trace; a plain trace has no "
                                                      "values, so only ca and lw can be asked",
                                                      options.model));
  }
  if (policy(model).turns_branches && !input.paths) {
    throw CLI::ValidationError(
        "--model",
        "'paths' needs a program, or a value trace that carries paths, as `omen record --values` makes them");
  }
  return model;
}

/// Writes each query to its own file.
std::function<void(const std::string&, const std::string&)> dump_to(const std::string& folder) {
  if (folder.empty()) return {};
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw CLI::ValidationError("--dump-queries", "cannot create '" + folder + "'");
  return [folder](const std::string& name, const std::string& text) {
    std::ofstream file(folder + "/" + name + ".smt2");
    file << text;
  };
}

std::vector<relax::Verdict> ask_pair(const Options& options, const Subject& subject, const Settings& settings) {
  std::uint64_t one = 0;
  std::uint64_t two = 0;
  const char* const end = options.pair.data() + options.pair.size();
  const auto first = std::from_chars(options.pair.data(), end, one);
  const bool comma = first.ec == std::errc{} && first.ptr != end && *first.ptr == ',';
  const auto second =
      comma ? std::from_chars(first.ptr + 1, end, two) : std::from_chars_result{end, std::errc::invalid_argument};
  if (second.ec != std::errc{} || second.ptr != end) {
    throw CLI::ValidationError("--pair", "expected I,J, not '" + options.pair + "'");
  }
  if (std::max(one, two) >= subject.size()) {
    throw CLI::ValidationError("--pair",
                               fmt::format("expected events below {}, which is how many there are", subject.size()));
  }
  const auto verdict =
      predict_pair(subject, settings, static_cast<std::uint32_t>(one), static_cast<std::uint32_t>(two));
  if (!verdict) {
    throw CLI::ValidationError(
        "--pair", fmt::format("events {} and {} do not conflict, or no window of {} events holds both", one, two,
                              settings.window));
  }
  return {*verdict};
}

std::expected<int, InputError> run(const Options& options) {
  Input input;
  if (auto loaded = load_input(input, options); !loaded) return std::unexpected(std::move(loaded.error()));
  const Subject subject = input.subject();
  if (subject.size() >= std::numeric_limits<std::uint32_t>::max() / 2) {
    return std::unexpected(InputError{options.input, "", "expected fewer than 2^31 events"});
  }
  Settings settings = Settings::of_budget(options.budget);
  settings.model = choose_model(options, input);
  settings.limits.artificial_branches = options.artificial_branches && settings.model == Model::Control;
  settings.every = options.every;
  settings.jobs = static_cast<std::size_t>(options.jobs);
  settings.dump = dump_to(options.dump);

  std::vector<relax::Verdict> verdicts;
  if (!options.pair.empty()) {
    verdicts = ask_pair(options, subject, settings);
  } else {
    Progress progress("predicting");
    settings.progress = [&](double part) { progress.update(subject.size(), part); };
    verdicts = predict(subject, settings);
  }

  if (options.json != "-") {
    print(subject, settings, verdicts,
          {.most = options.most, .excluded = options.unconfirmed || !options.pair.empty()});
  }
  if (!options.json.empty()) {
    auto written = write_json(options.json, options.input, subject, settings, verdicts);
    if (!written) return std::unexpected(std::move(written.error()));
  }
  const bool race = std::ranges::any_of(verdicts, [](const relax::Verdict& v) { return v.answer == Answer::Race; });
  return race ? kExitRaces : kExitNothingFound;
}

const Command command{
    "relax", "Predict races by what reads may return: schedules with values, each executed again before it is reported",
    [](CLI::App& app) -> Action {
      auto options = std::make_shared<Options>();
      app.add_option("TRACE-OR-PROGRAM", options->input,
                     "a program (NAME.mini), a value trace, or a plain trace; '-' is standard input")
          ->required();
      app.add_option("--model", options->model,
                     "ca, lw, value, control, relax or paths; by default the last that the input allows")
          ->check(CLI::IsMember({"ca", "lw", "value", "control", "relax", "paths"}));
      app.add_flag("--artificial-branches", options->artificial_branches,
                   "control: treat each dereference as a branch on all that its thread has read");
      add_number(app, "--seed", options->seed, "of the schedule under which a program is run");
      app.add_option("--pair", options->pair, "decide only this pair of events")->type_name("I,J");
      app.add_flag("--unconfirmed", options->unconfirmed, "show candidates that are impossible too");
      app.add_flag("--every", options->every, "every conflicting pair of events, not one answer per pair of locations");
      add_number(app, "--budget", options->budget, "events of a window, and Z3's resources in proportion");
      app.add_option("--json", options->json,
                     "write verdicts, witnesses and values to this file; '-' is standard output");
      add_number(app, "-j,--jobs", options->jobs, "threads to use");
      add_number(app, "--most", options->most, "show at most this many candidates as text; 0: all");
      app.add_option("--dump-queries", options->dump, "write each query as SMT-LIB into this folder");
      app.footer(
          "Exit code: 0 no race, 66 races, 64 bad usage, 65 bad input, 70 a race that does not re-execute.\n"
          "Example:\n  omen relax p.mini --model paths --json r.json");
      return [options] { return run(*options); };
    }};

}  // namespace
}  // namespace omen::cli
