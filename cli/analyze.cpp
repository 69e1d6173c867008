/// \file
/// `omen analyze TRACE`: candidate races, per analysis.
#include <cstdio>
#include <memory>
#include <thread>

#include "analysis/pass.hpp"
#include "cli/analysis_names.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/source_places.hpp"
#include "report/analysis_report.hpp"
#include "trace/validated_source.hpp"

namespace omen::cli {
namespace {

struct Options {
  std::string trace;
  Format format = Format::Auto;
  std::vector<std::string> analyses{"st-wdc"};
  std::string json;
  unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
  std::size_t most = 20;
};

std::expected<int, InputError> run(const Options& options) {
  const auto chosen = resolve_analyses(options.analyses);
  auto source = open_trace(options.trace, options.format);
  if (!source) return std::unexpected(std::move(source.error()));
  auto places = SourcePlaces::of(options.trace);
  if (!places) return std::unexpected(std::move(places.error()));
  if (*places) source = std::make_unique<PlacedSource>(std::move(*source), **places);
  ValidatedSource validated(std::move(*source));

  std::vector<std::unique_ptr<report::CollectedRaces>> races;
  std::vector<std::unique_ptr<AnyAnalysis>> analyses;
  for (const AnalysisInfo* info : chosen) {
    races.push_back(std::make_unique<report::CollectedRaces>(/*every=*/!options.json.empty()));
    analyses.push_back(info->make(*races.back(), Tuning{}));
  }
  Progress progress("analysing " + options.trace);
  const auto pass =
      run_pass(validated, analyses, std::min<unsigned>(options.jobs, static_cast<unsigned>(chosen.size()) + 1),
               [&](std::uint64_t events, double fraction) { progress.update(events, fraction); });
  progress.clear();
  if (!pass) return std::unexpected(pass.error());

  report::AnalysisReport report{
      .path = options.trace,
      .events = pass->events,
      .names = &validated.names(),
      .location =
          [&](LocationId location) { return *places ? (*places)->text(location) : validated.names().text(location); },
      .results = {}};
  if (*places) {
    report.function = [&](const std::string& place) { return (*places)->function_at(place); };
    report.object = [&](const std::string& variable) { return (*places)->object(variable); };
  }
  bool found = false;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    report.results.push_back({std::string(chosen[i]->name), races[i].get(), pass->seconds[i]});
    found |= races[i]->first.has_value();
  }
  if (options.json != "-") {
    if (auto shown = write_text("-", as_text(report, options.most)); !shown)
      return std::unexpected(std::move(shown.error()));
  }
  if (!options.json.empty()) {
    auto out = create_bytes(options.json);
    if (!out) return std::unexpected(std::move(out.error()));
    if (auto written = write_json(report, **out); !written) return std::unexpected(std::move(written.error()));
  }
  return found ? kExitRaces : kExitNothingFound;
}

const Command command{"analyze", "Find candidate races in a trace", [](CLI::App& app) -> Action {
                        auto options = std::make_shared<Options>();
                        app.add_option("TRACE", options->trace, "the trace; - is standard input")->required();
                        add_analyses(app, options->analyses);
                        add_format(app, "--format", options->format, "the trace's format");
                        app.add_option("--json", options->json,
                                       "write every racy access as JSON to this file; - is standard output");
                        app.add_option("-j,--jobs", options->jobs, "threads to use")->check(CLI::PositiveNumber);
                        app.add_option("--most", options->most, "show at most this many distinct races as text; 0: all")
                            ->capture_default_str();
                        app.footer(
                            "Exit code: 0 no race, 66 races, 64 bad usage, 65 bad input.\n"
                            "The unoptimised analyses (unopt-*) report exactly the racy accesses of the definition; "
                            "the others are exact up "
                            "to the first race.\n"
                            "Example: omen analyze run.omen --analysis fto-hb,st-wdc --json races.json");
                        return [options] { return run(*options); };
                      }};

}  // namespace
}  // namespace omen::cli
