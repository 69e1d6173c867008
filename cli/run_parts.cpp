#include "cli/run_parts.hpp"

#include <cstdlib>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "cli/output.hpp"
#include "cli/race_candidates.hpp"
#include "report/build_report.hpp"
#include "report/race_json.hpp"
#include "report/race_sarif.hpp"
#include "symbolize/symbolizer.hpp"
#include "trace/formats/format.hpp"
#include "trace/trace.hpp"

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

std::expected<report::Suppressions, InputError> read_suppressions(const RunArguments& arguments,
                                                                  const report::RunOptions& environment) {
  report::Suppressions result;
  std::vector<std::string> files = arguments.suppressions;
  if (!environment.suppressions.empty()) files.push_back(environment.suppressions);
  for (const std::string& file : files) {
    if (auto added = result.add_file(file); !added) return std::unexpected(std::move(added.error()));
  }
  return result;
}

std::expected<RecordedReport, InputError> report_on(const Recording& recording, const std::string& folder,
                                                    const RunArguments& arguments, const AnalysisInfo& analysis,
                                                    const report::ExitStatus& exit) {
  const std::string path = arguments.keep.empty() ? folder + "/trace.omen" : arguments.keep;
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
                               .confirm = !arguments.no_confirm,
                               .budget = vindicate::Budget::of(arguments.budget),
                               .jobs = arguments.jobs};
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
  return RecordedReport{std::move(built), std::move(*effective)};
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

std::expected<void, InputError> write_reports(const RunArguments& arguments, const report::RunReport& report) {
  if (!arguments.json.empty()) {
    if (auto written = write_json(arguments.json, report::as_json(report)); !written) return written;
  }
  if (arguments.sarif.empty()) return {};
  return write_json(arguments.sarif, report::as_sarif(report));
}

int exit_code(const report::RunReport& report, const report::RunOptions& options, const ProgramEnd& end) {
  return report.races.empty() || options.exitcode == 0 ? end.exit_code() : options.exitcode;
}

}  // namespace omen::cli
