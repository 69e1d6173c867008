/// \file
/// `omen run -- PROG ARGS…`: runs an instrumented program once, analyses what it did, confirms what the analysis
/// predicts, and reports. Races that happens-before shows in this very run need no confirmation; predicted ones are
/// reported if there is a witness.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "analysis/registry.hpp"
#include "cli/analysis_names.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/race_candidates.hpp"
#include "cli/recorded_run.hpp"
#include "report/build_report.hpp"
#include "report/options.hpp"
#include "report/race_json.hpp"
#include "report/race_sarif.hpp"
#include "report/race_text.hpp"
#include "report/suppressions.hpp"
#include "report/uninstrumented.hpp"
#include "symbolize/symbolizer.hpp"
#include "trace/formats/format.hpp"
#include "trace/trace.hpp"

namespace omen::cli {
namespace {

struct Options {
  std::vector<std::string> command;
  std::vector<std::string> analyses{"st-wdc"};
  std::vector<std::string> suppressions;
  std::string json;
  std::string sarif;
  std::string keep;
  std::string folder;
  std::uint64_t budget = vindicate::Budget::kDefault;
  std::uint64_t jobs = std::max(1U, std::thread::hardware_concurrency());
  bool no_confirm = false;
};

std::expected<report::Suppressions, InputError> read_suppressions(const Options& options,
                                                                  const report::RunOptions& environment) {
  report::Suppressions result;
  std::vector<std::string> files = options.suppressions;
  if (!environment.suppressions.empty()) files.push_back(environment.suppressions);
  for (const std::string& file : files) {
    if (auto added = result.add_file(file); !added) return std::unexpected(std::move(added.error()));
  }
  return result;
}

/// What the program itself brings, then the environment.
std::expected<report::RunOptions, InputError> options_of(const std::string& program) {
  report::RunOptions result;
  if (auto ok = report::parse_options(program, "__tsan_default_options", false, result); !ok) {
    return std::unexpected(std::move(ok.error()));
  }
  for (const auto& [variable, own] : {std::pair{"TSAN_OPTIONS", false}, std::pair{"OMEN_OPTIONS", true}}) {
    const char* const text = std::getenv(variable);
    if (text == nullptr) continue;
    if (auto ok = report::parse_options(text, variable, own, result); !ok)
      return std::unexpected(std::move(ok.error()));
  }
  return result;
}

struct ProcessReport {
  report::RunReport report;
  report::RunOptions options;
  std::string suppressions;  ///< that the program itself brings
};

/// One process's recording as a report.
std::expected<ProcessReport, InputError> report_on(const Recording& recording, const std::string& folder,
                                                   const Options& options, const AnalysisInfo& analysis,
                                                   const report::ExitStatus& exit) {
  const std::string path = options.keep.empty() ? folder + "/trace.omen" : options.keep;
  auto converted = recording::convert(recording.raw, path);
  if (!converted) return std::unexpected(std::move(converted.error()));
  std::error_code ignored;
  std::filesystem::remove(recording.raw, ignored);
  auto source = open_trace(path);
  if (!source) return std::unexpected(std::move(source.error()));
  auto trace = load(std::move(*source));
  if (!trace) return std::unexpected(std::move(trace.error()));
  if (trace->size() >= std::numeric_limits<std::uint32_t>::max()) {
    return std::unexpected(InputError{path, "", "expected fewer than 2^32 - 1 events"});
  }
  const CandidateSearch search{.analysis = analysis,
                               .confirm = !options.no_confirm,
                               .budget = vindicate::Budget::of(options.budget),
                               .jobs = options.jobs};
  auto found = find_candidates(*trace, converted->info, search);
  report::RunFacts facts;
  facts.exit = exit;
  facts.complete = converted->complete;
  facts.notes = found.notes;
  for (const ThreadStack& stack : converted->info.thread_stacks) {
    facts.stacks.push_back({stack.begin, stack.end, stack.thread});
  }
  symbolize::Symbolizer symbolizer(converted->info.modules);
  auto built = report::build_report(*trace, converted->info, found.candidates, symbolizer, facts);
  built.synchronisations = converted->synchronisations;
  auto effective = options_of(converted->info.options);
  if (!effective) return std::unexpected(std::move(effective.error()));
  return ProcessReport{std::move(built), std::move(*effective), std::move(converted->suppressions)};
}

std::expected<void, InputError> print(const std::string& text, const report::RunOptions& environment, int pid) {
  const std::string file = environment.log_file(static_cast<std::uint64_t>(pid));
  if (!file.empty()) return write_text(file, text);
  std::FILE* const out = environment.log_path == "stdout" ? stdout : stderr;
  std::fwrite(text.data(), 1, text.size(), out);
  return {};
}

std::expected<int, InputError> run(const Options& options) {
  const auto analyses = resolve_analyses(options.analyses);
  if (analyses.size() != 1) throw CLI::ValidationError("--analysis", "expected one analysis");
  auto environment = options_of("");  // before anything runs: what is wrong with it is said at once
  if (!environment) return std::unexpected(environment.error());
  auto suppressions = read_suppressions(options, *environment);
  if (!suppressions) return std::unexpected(std::move(suppressions.error()));

  const auto folder = TemporaryFolder::create(options.folder);
  if (!folder) return std::unexpected(folder.error());
  const auto end = run_program(options.command, folder->path());
  if (!end) return std::unexpected(end.error());
  const auto recordings = recordings_in(folder->path(), end->pid);
  if (recordings.empty()) return std::unexpected(nothing_recorded(options.command));

  report::RunReport all;  // of the first process, with the races of all
  std::size_t suppressed = 0;
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    report::ExitStatus exit;
    if (i == 0) exit = {end->code, end->signal == 0 ? "" : report::signal_name(end->signal)};
    auto result = report_on(recordings[i], folder->path(), options, *analyses.front(), exit);
    if (!result) return std::unexpected(std::move(result.error()));
    report::RunReport* const built = &result->report;
    environment = std::move(result->options);
    if (!environment->report_bugs) built->races.clear();
    if (environment->ignore_noninstrumented_modules) report::remove_uninstrumented(*built);
    if (i == 0) {  // forked processes bring the same
      if (auto ok = suppressions->add_text(result->suppressions, "__tsan_default_suppressions"); !ok) {
        return std::unexpected(std::move(ok.error()));
      }
    }
    suppressed += suppressions->apply(*built);
    if (environment->halt_on_error && built->races.size() > 1) built->races.resize(1);
    const report::TextStyle style{.strip_path_prefix = environment->strip_path_prefix,
                                  .summary = environment->print_summary};
    // Processes that forked and did nothing worth saying say nothing.
    if (i == 0 || !built->races.empty()) {
      if (auto printed = print(report::as_text(*built, style), *environment, recordings[i].pid); !printed) {
        return std::unexpected(std::move(printed.error()));
      }
    }
    if (i == 0) {
      all = std::move(*built);
    } else {
      std::ranges::move(built->races, std::back_inserter(all.races));
    }
  }
  std::string closing;
  if (suppressed != 0 && environment->print_suppressions) closing += suppressions->hits_text();
  if (environment->print_unused_suppressions) closing += suppressions->unused_text();
  if (!closing.empty()) {
    if (auto printed = print(closing, *environment, end->pid); !printed) return std::unexpected(printed.error());
  }
  if (!options.json.empty()) {
    if (auto written = write_json(options.json, report::as_json(all)); !written)
      return std::unexpected(written.error());
  }
  if (!options.sarif.empty()) {
    if (auto written = write_json(options.sarif, report::as_sarif(all)); !written) {
      return std::unexpected(written.error());
    }
  }
  return all.races.empty() ? end->exit_code() : environment->exitcode;
}

const Command command{
    "run", "Run an instrumented program once, and report the races that it shows or hides",
    [](CLI::App& app) -> Action {
      auto options = std::make_shared<Options>();
      app.add_option("PROGRAM", options->command, "the program and its arguments, after --")->required();
      add_analyses(app, options->analyses);
      app.add_flag("--no-confirm", options->no_confirm,
                   "report what the analysis predicts without looking for a witness; may name pairs that are no races");
      app.add_option("--json", options->json, "write the report to this file as JSON; '-' is standard output");
      app.add_option("--sarif", options->sarif, "write the report to this file as SARIF 2.1.0");
      app.add_option("--suppressions", options->suppressions, "a file of suppressions, in ThreadSanitizer's syntax");
      app.add_option("--keep", options->keep, "keep the trace in this file (.omen)");
      app.add_option("--folder", options->folder, "record into this folder; default: where temporary files belong");
      add_number(app, "--budget", options->budget, "how far to follow a predicted pair, as for vindicate");
      add_number(app, "-j,--jobs", options->jobs, "threads to use for confirming");
      app.prefix_command();
      app.footer(
          "The program must have been compiled with omen-cc or omen-c++.\n"
          "Options from the environment (OMEN_OPTIONS=\"name=value:…\", after TSAN_OPTIONS for shared names):\n" +
          report::options_help() +
          "Exit code: 66 if a race is reported (or `exitcode`), else the program's own; 64 bad usage, 65 bad input.\n"
          "Example:\n  omen-c++ -g prog.cpp -o prog && omen run -- ./prog");
      return [options] { return run(*options); };
    }};

}  // namespace
}  // namespace omen::cli
