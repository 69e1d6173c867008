/// \file
/// `omen stats T`: statistics of a trace, as text or, with `--json`, as JSON.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "analysis/distinct_races.hpp"
#include "cli/analysis_names.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/place_counts.hpp"
#include "cli/progress.hpp"
#include "cli/source_places.hpp"
#include "report/rule_counters.hpp"
#include "trace/counts.hpp"
#include "trace/validated_source.hpp"

namespace omen::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string trace;
  Format format = Format::Auto;
  std::string json;
  std::vector<std::string> analyses;
};

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::uint64_t locations(const Counts& counts, const Names& names) {
  return counts.numeric_locations() + names.locations().size();
}

Json counts_as_json(const Options& options, const Counts& counts, const Names& names) {
  Json json;
  json["omen"] = 1;
  json["trace"] = {{"path", options.trace},
                   {"events", counts.events()},
                   {"threads", names.of(OperandKind::Thread).size()},
                   {"locks", names.of(OperandKind::Lock).size()},
                   {"variables", names.of(OperandKind::Variable).size()},
                   {"barriers", names.of(OperandKind::Barrier).size()},
                   {"atomics", names.of(OperandKind::Atomic).size()},
                   {"locations", locations(counts, names)}};
  Json& operations = json["operations"] = Json::object();
  for (const OpTraits& op : kOpTraits) {
    if (counts.of(op.op) != 0) operations[std::string(op.name)] = counts.of(op.op);
  }
  json["accesses"] = counts.accesses();
  json["synchronisation"] = counts.synchronisation();
  json["most_held_locks"] = counts.most_held_locks();
  json["accesses_by_held_locks"] = counts.accesses_by_held_locks();
  return json;
}

std::string counts_as_text(const Counts& counts, const Names& names) {
  fmt::memory_buffer out;
  const auto line = [&](std::string_view what, std::uint64_t count) {
    fmt::format_to(std::back_inserter(out), "{:<24}{:>14}\n", what, count);
  };
  const auto part = [&](std::string_view what, std::uint64_t count, std::uint64_t whole) {
    fmt::format_to(std::back_inserter(out), "{:<24}{:>14}{:>8.1f} %\n", what, count, 100 * share(count, whole));
  };
  line("events", counts.events());
  line("threads", names.of(OperandKind::Thread).size());
  line("variables", names.of(OperandKind::Variable).size());
  line("locks", names.of(OperandKind::Lock).size());
  if (const std::size_t n = names.of(OperandKind::Barrier).size(); n != 0) line("barriers", n);
  if (const std::size_t n = names.of(OperandKind::Atomic).size(); n != 0) line("atomics", n);
  line("locations", locations(counts, names));
  line("most locks held at once", counts.most_held_locks());
  part("accesses", counts.accesses(), counts.events());
  part("synchronisation", counts.synchronisation(), counts.events());
  fmt::format_to(std::back_inserter(out), "\nby operation\n");
  for (const OpTraits& op : kOpTraits) {
    if (counts.of(op.op) != 0) part(fmt::format("  {}", op.name), counts.of(op.op), counts.events());
  }
  if (counts.accesses() != 0) {
    fmt::format_to(std::back_inserter(out), "\naccesses by locks held\n");
    const auto& held = counts.accesses_by_held_locks();
    for (std::size_t n = 0; n < held.size(); ++n) {
      if (held[n] != 0)
        part(fmt::format("  {}{}", n, n + 1 == held.size() ? " or more" : ""), held[n], counts.accesses());
    }
  }
  return fmt::to_string(out);
}

std::expected<int, InputError> run(const Options& options) {
  auto opened = open_trace(options.trace, options.format);
  if (!opened) return std::unexpected(std::move(opened.error()));
  ValidatedSource source(std::move(*opened));
  auto places = SourcePlaces::of(options.trace);
  if (!places) return std::unexpected(std::move(places.error()));
  std::unique_ptr<PlaceCounts> by_place;
  if (*places) by_place = std::make_unique<PlaceCounts>(**places);
  Counts counts;
  DistinctRaces races;
  std::vector<report::CountedAnalysis> counted;
  std::vector<std::unique_ptr<AnyAnalysis>> analyses;
  if (!options.analyses.empty()) {
    for (const AnalysisInfo* info : resolve_analyses(options.analyses)) {
      counted.push_back({std::string(info->name), {}});
      analyses.push_back(info->make(races, Tuning{}));
    }
  }
  {
    Progress progress("reading " + options.trace);
    while (true) {
      const auto block = source.next();
      if (!block) return std::unexpected(block.error());
      if (block->empty()) break;
      counts.add(*block);
      if (by_place) by_place->add(*block);
      for (const auto& analysis : analyses) analysis->run(*block);
      progress.update(counts.events(), source.progress());
    }
  }
  for (std::size_t i = 0; i < analyses.size(); ++i) counted[i].counters = analyses[i]->counters();
  if (options.json != "-") {
    std::fputs(counts_as_text(counts, source.names()).c_str(), stdout);
    if (by_place) std::fputs(by_place->as_text().c_str(), stdout);
    if (!counted.empty()) std::fputs(("\n" + report::counters_as_text(counted)).c_str(), stdout);
  }
  if (!options.json.empty()) {
    Json json = counts_as_json(options, counts, source.names());
    if (by_place) by_place->add_to(json);
    if (!counted.empty()) json["analyses"] = report::counters_as_json(counted);
    if (auto ok = write_json(options.json, json); !ok) {
      return std::unexpected(std::move(ok.error()));
    }
  }
  return kExitNothingFound;
}

const Command command{
    "stats", "Count what a trace holds", [](CLI::App& app) -> Action {
      auto options = std::make_shared<Options>();
      app.add_option("TRACE", options->trace, "the trace; '-' is standard input")->required();
      add_format(app, "--format", options->format, "the format of TRACE");
      app.add_option("--json", options->json,
                     "also write the counts as JSON to this file; '-' is "
                     "standard output, instead of the text");
      add_analyses(app, options->analyses);
      app.footer(
          "With --analysis: how often each case of each analysis fired, how many locks were held, and how "
          "often ancillary metadata was looked at and used.\n"
          "Of a recorded trace also: what ran, and which places in the source have most accesses.\n"
          "Example:\n  omen stats t.omen --json -");
      return [options] { return run(*options); };
    }};

}  // namespace
}  // namespace omen::cli
