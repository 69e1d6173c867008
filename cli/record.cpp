/// \file
/// `omen record -o T.omen -- PROG ARGS…`: runs an instrumented program once and writes the trace of the run.
///
/// `omen record-alone -- PROG ARGS…`: a program that was started with `mode=record` in OMEN_OPTIONS becomes this
/// command (capture/runtime/watcher.hpp). The trace is written where the options say, and the program gets its
/// LD_PRELOAD back.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>

#include "cli/command.hpp"
#include "cli/preload.hpp"
#include "cli/recorded_run.hpp"
#include "cli/run_parts.hpp"
#include "cli/value_models.hpp"

namespace omen::cli {
namespace {

struct Options {
  std::string output;
  bool values = false;
  std::vector<std::string> command;
};

/// The trace of a forked process has the process number in its name: `t.omen`, `t.4711.omen`.
std::string output_of(const std::string& output, std::size_t number, int pid) {
  if (number == 0) return output;
  const std::filesystem::path path(output);
  return (path.parent_path() / fmt::format("{}.{}{}", path.stem().string(), pid, path.extension().string())).string();
}

std::expected<int, InputError> run(const Options& options) {
  const std::string folder = std::filesystem::path(options.output).parent_path().string();
  const auto temporary = TemporaryFolder::create(folder.empty() ? "." : folder);
  if (!temporary) return std::unexpected(temporary.error());
  const auto end = run_program(options.command, temporary->path());
  if (!end) return std::unexpected(end.error());
  const auto recordings = recordings_in(temporary->path(), end->pid);
  if (recordings.empty()) return std::unexpected(nothing_recorded(options.command));
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    const std::string output = output_of(options.output, i, recordings[i].pid);
    if (options.values) {
      const auto code = interpret_values(recordings[i].raw, output);
      if (!code || *code != 0) return code;
      continue;
    }
    std::optional<ProcessEnd> ended;
    if (i == 0) ended = ProcessEnd{static_cast<std::uint32_t>(end->code), static_cast<std::uint32_t>(end->signal)};
    const auto converted = recording::convert(recordings[i].raw, output, ended);
    if (!converted) return std::unexpected(converted.error());
    fmt::print(stderr, "omen: {}: {} events, {} of them synchronisation, {} threads\n", output, converted->events,
               converted->synchronisations, converted->threads);
    for (const std::string& note : converted->info.notes) fmt::print(stderr, "omen: {}\n", note);
  }
  if (end->signal != 0) fmt::print(stderr, "omen: the program was ended by signal {}\n", end->signal);
  return end->exit_code();
}

std::expected<int, InputError> run_alone(Options options) {
  constexpr const char* kPreloadForProgram = "OMEN_LD_PRELOAD";
  if (const char* const preload = std::getenv(kPreloadForProgram)) setenv("LD_PRELOAD", preload, 1);
  unsetenv(kPreloadForProgram);
  const auto environment = options_of("");
  if (!environment) return std::unexpected(environment.error());
  options.output = environment->trace_file(static_cast<std::uint64_t>(getpid()));
  std::string& program = options.command[0];
  if (!program.contains('/')) program.insert(0, "./");  // it was not found through PATH
  return run(options);
}

const Command command{
    "record", "Run an instrumented program and write the trace of the run", [](CLI::App& app) -> Action {
      auto options = std::make_shared<Options>();
      app.add_option("-o,--output", options->output, "the trace to write, .omen; with --values, .values")->required();
      app.add_flag("--values", options->values,
                   "write a value trace for omen relax; the program was compiled with omen-cc --omen-values");
      add_preload(app);
      app.add_option("PROGRAM", options->command,
                     "the program; all that follows are its arguments, with or without -- in front")
          ->required();
      app.positionals_at_end();
      app.footer(
          "The program must have been compiled with omen-cc or omen-c++. Processes that it forks get traces of their "
          "own,\nwith their process number in the name. Exit code: the program's own.\n"
          "Example:\n  omen record -o t.omen -- ./prog arg && omen report t.omen");
      return [options] { return run(*options); };
    }};

const Command alone{"record-alone", "Record a program that was started alone (programs start it themselves)",
                    [](CLI::App& app) -> Action {
                      auto options = std::make_shared<Options>();
                      app.group("");
                      app.add_option("PROGRAM", options->command, "the program and its arguments")->required();
                      app.positionals_at_end();
                      return [options] { return run_alone(*options); };
                    }};

}  // namespace
}  // namespace omen::cli
