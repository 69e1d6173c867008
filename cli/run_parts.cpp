#include "cli/run_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/end_signals.hpp"
#include "cli/first_look.hpp"
#include "cli/output.hpp"
#include "cli/preload.hpp"
#include "cli/progress.hpp"
#include "cli/race_candidates.hpp"
#include "cli/run_models.hpp"
#include "cli/value_models.hpp"
#include "report/build_report.hpp"
#include "report/html/html_page.hpp"
#include "report/merge.hpp"
#include "report/race_json.hpp"
#include "report/race_sarif.hpp"
#include "report/same_finding.hpp"
#include "symbolize/symbolizer.hpp"
#include "trace/formats/byte_sink.hpp"
#include "trace/trace.hpp"
#include "trace/well_formed.hpp"
#include "vindicate/lock_order.hpp"

namespace omen::cli {

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

std::string options_help_text() {
  return "OMEN_OPTIONS:\n" + report::options_help();
}

void print_help_if_asked(const report::RunOptions& environment) {
  if (environment.help) std::fputs(options_help_text().c_str(), stderr);
}

std::expected<report::Suppressions, InputError> read_suppressions(const RunArguments& arguments,
                                                                  const report::RunOptions& environment) {
  report::Suppressions result;
  result.set_builtin(environment.builtin_suppressions && !arguments.no_builtin_suppressions);
  std::vector<std::string> files = arguments.suppressions;
  if (!environment.suppressions.empty()) files.push_back(environment.suppressions);
  for (const std::string& file : files) {
    if (auto added = result.add_file(file); !added) return std::unexpected(std::move(added.error()));
  }
  return result;
}

namespace {

/// The whole trace, to confirm and report races. Releases the memory of the recording.
std::expected<Trace, InputError> whole_trace(recording::RecordedRun run, const std::string& raw, CaptureInfo& info,
                                             bool& complete) {
  if (run.event_count() >= std::numeric_limits<std::uint32_t>::max()) {
    return std::unexpected(InputError{raw, "", "expected fewer than 2^32 - 1 events"});
  }
  Trace trace;
  trace.events.reserve(run.event_count());
  WellFormedness rules;
  const auto passed =
      run.events(recording::RecordedRun::Which::All, [&](std::span<Event> block) -> std::expected<void, InputError> {
        for (Event& event : block) {
          if (auto well_formed = rules.check(event, run.names()); !well_formed) {
            return std::unexpected(InputError{raw, "", std::move(well_formed.error())});
          }
          trace.events.push_back(event);
        }
        return {};
      });
  if (!passed) return std::unexpected(passed.error());
  trace.names = run.take_all_names();
  info = run.info();
  info.blocks = run.take_blocks();
  info.points = run.take_points();
  complete = run.complete();
  return trace;
}

/// The interpreter takes too long for longer recordings: bytes per unit of the budget.
constexpr std::uint64_t kRecordedBytes = 100'000;

/// The values of the recording. Nothing if it has none, or they cannot be used; then a note says why.
std::optional<RunValues> recorded_values(const recording::RecordedRun& run, const std::string& raw,
                                         std::uint64_t budget, std::vector<std::string>& notes) {
  if (!records_values(run.info().modules) || stop_requested()) return {};
  std::error_code ignored;
  const std::uintmax_t bytes = std::filesystem::file_size(raw, ignored);
  if (bytes / kRecordedBytes > budget) {
    notes.push_back(
        fmt::format("the models of values were not asked: the recording has {} bytes, and --values-budget "
                    "{} allows {}",
                    bytes, budget, budget * kRecordedBytes));
    return {};
  }
  auto values = values_of(raw);
  if (values) return std::move(*values);
  notes.push_back("the models of values were not asked: " + values.error().message);
  return {};
}

/// A copy of the trace with these events appended.
Trace trace_with(const Trace& trace, const std::vector<FoundByValues::Unrecorded>& more) {
  Trace result;
  for (std::size_t kind = 0; kind < kOperandKindCount; ++kind) {
    const NameTable& table = trace.names.of(static_cast<OperandKind>(kind));
    for (std::uint32_t id = 0; id < table.size(); ++id)
      result.names.of(static_cast<OperandKind>(kind)).intern(table[id]);
  }
  const NameTable& locations = trace.names.locations();
  for (std::uint32_t id = 0; id < locations.size(); ++id) result.names.locations().intern(locations[id]);
  result.events = trace.events;
  for (const FoundByValues::Unrecorded& one : more) {
    result.events.push_back(one.event);
    result.events.back().location = result.names.intern_location(one.location);
  }
  return result;
}

}  // namespace

std::expected<RecordedReport, InputError> report_on(const Recording& recording, const RunArguments& arguments,
                                                    const AnalysisInfo& analysis, const ProgramEnd* ended) {
  const ObeysStop obeys;
  Progress progress("analysing the run");
  auto run = recording::RecordedRun::open(recording.raw, recording::Stop(stop_requested));
  if (!run) return std::unexpected(std::move(run.error()));
  report::RunFacts facts;
  const auto value_model = value_model_of(arguments);
  auto values = value_model && ended != nullptr
                    ? recorded_values(*run, recording.raw, arguments.values_budget, facts.notes)
                    : std::nullopt;
  std::error_code ignored;
  std::filesystem::remove(recording.raw, ignored);  // the file's space is released with `run`
  const bool beyond_relations = !arguments.no_confirm && arguments.candidates != Candidates::Relation;
  const vindicate::Model model = model_of(arguments);
  auto look = std::make_unique<FirstLook>(analysis, beyond_relations, model);
  vindicate::LockOrder locks;
  std::uint64_t taken_events = 0;
  const auto take = [&](std::span<Event> block) -> std::expected<void, InputError> {
    auto taken = look->take(block, run->names());
    progress.update(taken_events += block.size(), -1);
    if (!arguments.no_deadlocks) locks.take(block);
    if (taken) return {};
    return std::unexpected(InputError{recording.raw, "", std::move(taken.error())});
  };
  if (!arguments.keep.empty()) {
    std::optional<ProcessEnd> end;
    if (ended != nullptr) {
      end = ProcessEnd{static_cast<std::uint32_t>(ended->code), static_cast<std::uint32_t>(ended->signal)};
    }
    if (auto kept = recording::convert(*run, arguments.keep, take, end); !kept) {
      return std::unexpected(std::move(kept.error()));
    }
  } else if (auto passed = run->events(recording::RecordedRun::Which::OfSharedMemory, take); !passed) {
    return std::unexpected(std::move(passed.error()));
  }
  if (ended != nullptr) facts.exit = exit_status(*ended);
  progress.clear();
  const std::uint64_t events = run->event_count();
  const std::uint64_t synchronisations = run->synchronisations();
  CaptureInfo info = run->info();
  std::string suppressions = run->suppressions();
  bool complete = run->complete();
  Trace trace;
  std::vector<report::Candidate> found;
  FoundByValues by_values;
  const bool races = values || look->found() || run->used_after_free();
  const bool deadlocks = !arguments.no_deadlocks && locks.may_deadlock();
  if (races || deadlocks) {
    look.reset();
    auto whole = whole_trace(std::move(*run), recording.raw, info, complete);
    if (!whole) return std::unexpected(std::move(whole.error()));
    trace = std::move(*whole);
    FoundInRun all = find_in_run(trace, info,
                                 {.analysis = analysis,
                                  .confirm = !arguments.no_confirm,
                                  .budget = arguments.budget,
                                  .pairs = arguments.pairs,
                                  .jobs = arguments.jobs,
                                  .beyond_relations = beyond_relations,
                                  .model = model,
                                  .undecided = arguments.unconfirmed,
                                  .races = races,
                                  .deadlocks = deadlocks});
    found = std::move(all.races);
    facts.deadlocks = std::move(all.deadlocks.deadlocks);
    std::ranges::move(all.deadlocks.notes, std::back_inserter(facts.notes));
    if (values) {
      by_values = find_by_values(trace, info, *values, found,
                                 {.last = *value_model, .budget = arguments.values_budget, .jobs = arguments.jobs});
      std::ranges::move(by_values.races, std::back_inserter(found));
    }
  } else {
    trace.names = run->take_names();
  }
  // The functions that compute witnesses refer to the run's own trace.
  std::optional<Trace> with_paths;
  if (!by_values.unrecorded.empty()) with_paths = trace_with(trace, by_values.unrecorded);
  facts.complete = complete;
  std::vector<std::string> modules;
  for (const Module& module : info.modules) modules.push_back(module.path);
  if (std::string note = nothing_watched_note(modules); !note.empty()) facts.notes.push_back(std::move(note));
  for (const ThreadStack& stack : info.thread_stacks) facts.stacks.push_back({stack.begin, stack.end, stack.thread});
  symbolize::Symbolizer symbolizer(info.modules);
  auto built = report::build_report(with_paths ? *with_paths : trace, info, found, symbolizer, facts);
  built.models = models_of(arguments, info.modules);
  built.models.values = std::move(by_values.models);
  built.events = events;
  built.synchronisations = synchronisations;
  auto effective = options_of(info.options);
  if (!effective) return std::unexpected(std::move(effective.error()));
  return RecordedReport{std::move(built), std::move(*effective), std::move(suppressions)};
}

bool RunSetting::was_said(const report::Race& race) const {
  if (!earlier) return false;
  const report::Race* const said = report::find_same(earlier->races, race);
  return said != nullptr && report::sureness(*said) >= report::sureness(race);
}

bool RunSetting::was_said(const report::Deadlock& deadlock) const {
  return earlier && report::find_same(earlier->deadlocks, deadlock) != nullptr;
}

RunningProgram::Streams streams_of(const RunArguments& arguments) {
  const bool takes_output = arguments.json == "-" || arguments.sarif == "-" || arguments.html == "-";
  return takes_output ? RunningProgram::Streams::OutputIsErrors : RunningProgram::Streams::Ours;
}

std::expected<void, InputError> check_outputs(const RunArguments& arguments) {
  for (const std::string* path : {&arguments.json, &arguments.sarif, &arguments.html, &arguments.keep}) {
    std::error_code ignored;
    const auto kind = std::filesystem::status(*path, ignored).type();
    const bool is_file = kind == std::filesystem::file_type::regular || kind == std::filesystem::file_type::not_found ||
                         kind == std::filesystem::file_type::directory;
    if (path->empty() || *path == "-" || !is_file) continue;
    // Nothing appears without a commit.
    if (auto out = create_bytes(*path); !out) return std::unexpected(std::move(out.error()));
  }
  return {};
}

report::ExitStatus exit_status(const ProgramEnd& end) {
  return {end.code, end.signal == 0 ? "" : report::signal_name(end.signal)};
}

std::string suppressions_text(const report::Suppressions& suppressions, const report::RunOptions& options) {
  std::string text;
  if (options.print_suppressions) text += suppressions.hits_text();
  if (options.print_unused_suppressions) text += suppressions.unused_text();
  return text;
}

std::expected<void, InputError> write_reports(const RunArguments& arguments, report::RunReport report) {
  std::erase_if(report.unconfirmed, [&](const report::Race& race) {
    return !arguments.unconfirmed && !(arguments.show_candidates && rests_on_values(race));
  });
  if (!arguments.json.empty()) {
    if (auto written = write_json(arguments.json, report::as_json(report)); !written) return written;
  }
  if (!arguments.sarif.empty()) {
    if (auto written = write_json(arguments.sarif, report::as_sarif(report)); !written) return written;
  }
  if (arguments.html.empty()) return {};
  return write_text(arguments.html, report::as_html(report, page_style()));
}

int exit_code(const report::RunReport& report, const report::RunOptions& options, FailOn fail_on,
              const ProgramEnd& end) {
  return options.exitcode == 0 || !fails(report, fail_on) ? end.exit_code() : options.exitcode;
}

}  // namespace omen::cli
