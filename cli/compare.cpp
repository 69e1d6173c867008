/// \file
/// `omen compare TRACE`: applies all relations to one trace: the number of races that each shows, how many are
/// confirmed, and the distances between their accesses.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/command.hpp"
#include "cli/compare_output.hpp"
#include "cli/confirm_groups.hpp"
#include "cli/output.hpp"
#include "cli/source_places.hpp"
#include "trace/trace.hpp"
#include "vindicate/confirm.hpp"

namespace omen::cli {
namespace {

using vindicate::CandidateGroup;
using vindicate::Confirmer;
using vindicate::Outcome;
using vindicate::RaceClass;

struct Options {
  std::string trace;
  Format format = Format::Auto;
  std::string json;
  std::string svg;
  std::uint64_t budget = vindicate::Budget::kDefault;
  std::uint64_t pairs = 0;
  std::uint64_t asked = 1000;
  std::uint64_t jobs = std::max(1U, std::thread::hardware_concurrency());
  std::uint64_t most = 20;
};

/// Adds confirmed races of pairs that every relation orders, as a class of their own.
void add_beyond_relations(const Options& options, const Confirmer& confirmer, Comparison& comparison) {
  auto groups = beyond_relations(confirmer.index(), comparison.classes);
  auto budget = vindicate::GroupBudget::of(options.budget, groups.size(), options.pairs);
  budget.methods = vindicate::Methods{.graph = false, .search = false, .smt = false};
  auto verdicts = confirm_all(confirmer, groups, budget, options.jobs);
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    if (verdicts[i].verdict.outcome != Outcome::Race) continue;
    const vindicate::Pair pair = verdicts[i].verdict.pair;
    const std::uint64_t distance = pair.second - pair.first;
    const auto number = static_cast<std::uint32_t>(comparison.classes.races.size());
    comparison.classes.races.push_back({.strongest = RaceClass::Lw,
                                        .shown_by = {},
                                        .candidates = {.pairs = {pair}, .count = 1},
                                        .nearest = distance,
                                        .farthest = distance});
    comparison.classes.dynamic.push_back({pair, RaceClass::Lw, {}, number});
    comparison.verdicts.push_back(std::move(verdicts[i]));
  }
}

/// Runs VindicateRace alone on dynamic races of each class, evenly spread over the run.
void ask_graph(const Options& options, const Confirmer& confirmer, Comparison& comparison) {
  constexpr std::array kAsked{RaceClass::Wcp, RaceClass::Dc, RaceClass::Wdc};
  const vindicate::Methods only_graph{
      .order = false, .closure = false, .section_last = false, .graph = true, .search = false, .smt = false};
  for (const RaceClass race_class : kAsked) {
    std::vector<vindicate::Pair> all;
    for (const auto& race : comparison.classes.dynamic) {
      if (race.strongest == race_class) all.push_back(race.pair);
    }
    const std::size_t asked = std::min<std::size_t>(all.size(), options.asked);
    GraphCounts& counts = comparison.graph[static_cast<std::size_t>(race_class)];
    for (std::size_t i = 0; i < asked; ++i) {
      const vindicate::Pair pair = all[i * all.size() / asked];
      const auto verdict = std::move(confirmer.confirm(std::span(&pair, 1), only_graph).front());
      if (!verdict.graph) continue;  // the graph would exceed the budget
      ++counts.asked;
      counts.races += verdict.outcome == Outcome::Race ? 1 : 0;
      ++counts.constraints[verdict.graph->lock_edges];
      ++counts.iterations[verdict.graph->iterations];
    }
  }
}

std::expected<int, InputError> run(const Options& options) {
  auto source = open_trace(options.trace, options.format);
  if (!source) return std::unexpected(std::move(source.error()));
  auto trace = load(std::move(*source));
  if (!trace) return std::unexpected(trace.error());
  if (trace->size() >= std::numeric_limits<std::uint32_t>::max()) {
    return std::unexpected(InputError{options.trace, "", "expected fewer than 2^32 - 1 events"});
  }
  auto places = SourcePlaces::of(options.trace);
  if (!places) return std::unexpected(std::move(places.error()));
  if (*places) name_places(*trace, **places);

  const Confirmer confirmer(*trace, {}, vindicate::Budget::of(options.budget));
  Comparison comparison;
  comparison.path = options.trace;
  comparison.events = trace->size();
  comparison.threads = trace->threads();
  comparison.classes = classify(confirmer.index());
  std::vector<CandidateGroup> groups;
  for (const vindicate::StaticRace& race : comparison.classes.races) groups.push_back(race.candidates);
  const auto budget = vindicate::GroupBudget::of(options.budget, groups.size(), options.pairs);
  comparison.verdicts = confirm_all(confirmer, groups, budget, options.jobs);
  add_beyond_relations(options, confirmer, comparison);
  ask_graph(options, confirmer, comparison);
  comparison.place = [&](vindicate::EventNo e) { return trace->names.text(trace->events[e].location); };
  comparison.variable = [&](vindicate::EventNo e) {
    const std::string& name = trace->names.of(trace->events[e].variable());
    const std::string object = *places ? (*places)->object(name) : "";
    return object.empty() ? name : object;
  };

  if (options.json != "-" && options.svg != "-") {
    if (auto shown = write_text("-", as_text(comparison, options.most)); !shown) {
      return std::unexpected(std::move(shown.error()));
    }
  }
  if (!options.json.empty()) {
    if (auto written = write_json(options.json, as_json(comparison)); !written) {
      return std::unexpected(std::move(written.error()));
    }
  }
  if (!options.svg.empty()) {
    if (auto written = write_text(options.svg, as_svg(comparison)); !written) {
      return std::unexpected(std::move(written.error()));
    }
  }
  const bool race = std::ranges::any_of(comparison.verdicts, [](const vindicate::GroupVerdict& verdict) {
    return verdict.verdict.outcome == Outcome::Race;
  });
  return race ? kExitRaces : kExitNothingFound;
}

const Command command{
    "compare", "Count the races of a trace under every relation, confirm them, and show how far apart they are",
    [](CLI::App& app) -> Action {
      auto options = std::make_shared<Options>();
      app.add_option("TRACE", options->trace, "the trace; '-' is standard input")->required();
      add_format(app, "--format", options->format, "the trace's format");
      app.add_option("--json", options->json, "write it to this file as JSON; '-' is standard output");
      app.add_option("--svg", options->svg, "draw the distances into this file; '-' is standard output");
      add_number(app, "--budget", options->budget, "how far to follow a pair, as for vindicate");
      add_number(app, "--pairs", options->pairs,
                 "ask about at most this many pairs per pair of source locations; 0: while they are cheap");
      add_number(app, "--asked", options->asked,
                 "ask VindicateRace about at most this many dynamic races of each class, spread over the run");
      add_number(app, "--most", options->most, "show at most this many static races as text; 0: all");
      add_number(app, "-j,--jobs", options->jobs, "threads to use for confirming");
      app.footer(
          "A dynamic race is a pair of events, a static one a pair of source locations. The class of a race is the "
          "first\nrelation that shows it: HB, WCP, DC, WDC; LW: none does, but a witness. The unoptimised analyses "
          "are used, which\nname exactly the racy accesses of the definition; the whole trace is in memory.\n"
          "Exit code: 66 if a race is confirmed, 0 if none is.\n"
          "Example:\n  omen compare t.omen --svg distances.svg");
      return [options] { return run(*options); };
    }};

}  // namespace
}  // namespace omen::cli
