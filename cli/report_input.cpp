#include "cli/report_input.hpp"

#include <algorithm>
#include <fstream>
#include <limits>

#include "cli/analysis_names.hpp"
#include "cli/race_candidates.hpp"
#include "cli/run_models.hpp"
#include "report/race_json.hpp"
#include "report/whole_file.hpp"
#include "symbolize/symbolizer.hpp"

namespace omen::cli {
namespace {

/// A document begins with a brace, which no trace does. Standard input counts as a document.
bool is_document(const std::string& path) {
  if (path == "-") return true;
  std::ifstream file(path, std::ios::binary);
  char first = 0;
  return file >> first && first == '{';
}

std::expected<ReportInput, InputError> read_document(const std::string& path) {
  const auto document = report::whole_file(path);
  if (!document) return std::unexpected(document.error());
  auto report = report::report_from_json(*document, path);
  if (!report) return std::unexpected(std::move(report.error()));
  return ReportInput{.report = std::move(*report), .options = {}, .suppressions = {}, .is_trace = false};
}

}  // namespace

std::expected<ReportInput, InputError> report_of_trace(Trace& trace, const CaptureInfo& info,
                                                       const RunArguments& arguments) {
  const auto analyses = resolve_analyses(arguments.analyses);
  if (analyses.size() != 1) throw CLI::ValidationError("--analysis", "expected one analysis");
  FoundInRun found =
      find_in_run(trace, info,
                  {.analysis = *analyses.front(),
                   .confirm = !arguments.no_confirm,
                   .budget = arguments.budget,
                   .pairs = arguments.pairs,
                   .jobs = arguments.jobs,
                   .beyond_relations = !arguments.no_confirm && arguments.candidates != Candidates::Relation,
                   .model = model_of(arguments),
                   .undecided = arguments.unconfirmed,
                   .races = true,
                   .deadlocks = !arguments.no_deadlocks});
  report::RunFacts facts;
  facts.complete = info.complete;
  if (info.end) {
    facts.exit.code = static_cast<int>(info.end->code);
    if (info.end->signal != 0) facts.exit.signal = report::signal_name(static_cast<int>(info.end->signal));
  }
  for (const ThreadStack& stack : info.thread_stacks) facts.stacks.push_back({stack.begin, stack.end, stack.thread});
  facts.deadlocks = std::move(found.deadlocks.deadlocks);
  facts.notes = std::move(found.deadlocks.notes);
  symbolize::Symbolizer symbolizer(info.modules);
  auto built = report::build_report(trace, info, found.races, symbolizer, facts);
  built.models = models_of(arguments, info.modules);
  if (info.synchronisations != 0) built.synchronisations = info.synchronisations;
  auto options = options_of(info.options);
  if (!options) return std::unexpected(std::move(options.error()));
  return ReportInput{
      .report = std::move(built), .options = std::move(*options), .suppressions = info.suppressions, .is_trace = true};
}

std::expected<WholeTrace, InputError> whole_trace_of(const std::string& path, Format format) {
  auto source = open_trace(path, format);
  if (!source) return std::unexpected(std::move(source.error()));
  auto trace = load(std::move(*source));
  if (!trace) return std::unexpected(std::move(trace.error()));
  if (trace->size() >= std::numeric_limits<std::uint32_t>::max()) {
    return std::unexpected(InputError{path, "", "expected fewer than 2^32 - 1 events"});
  }
  trace->events.shrink_to_fit();
  WholeTrace whole{.trace = std::move(*trace), .info = {}};
  if (path == "-") return whole;  // a pipe can be read only once
  auto info = read_capture_info(path);
  if (!info) return std::unexpected(std::move(info.error()));
  if (*info) whole.info = std::move(**info);
  return whole;
}

std::expected<ReportInput, InputError> read_report(const std::string& path, const RunArguments& arguments) {
  if (is_document(path)) return read_document(path);
  auto whole = whole_trace_of(path);
  if (!whole) return std::unexpected(std::move(whole.error()));
  return report_of_trace(whole->trace, whole->info, arguments);
}

}  // namespace omen::cli
