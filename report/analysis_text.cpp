#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "report/analysis_report.hpp"

namespace omen::report {
namespace {

/// A distinct race of the report: one entry for all analyses that found it.
struct Finding {
  DistinctRace race;
  std::vector<std::string> analyses;
};

std::string count_of(std::uint64_t n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

std::vector<Finding> findings(const AnalysisReport& report) {
  std::vector<Finding> all;
  std::unordered_map<std::uint64_t, std::size_t> known;
  for (const AnalysisResult& result : report.results) {
    for (const DistinctRace& race : result.races->distinct.races()) {
      const std::uint64_t key = DistinctRaces::key(race.earlier.site.location, race.later.site.location);
      const auto [entry, is_new] = known.try_emplace(key, all.size());
      if (is_new) all.push_back({race, {}});
      Finding& finding = all[entry->second];
      finding.race.count = std::max(finding.race.count, race.count);
      finding.analyses.push_back(result.name);
    }
  }
  return all;
}

void add_table(fmt::memory_buffer& out, const AnalysisReport& report) {
  auto to = std::back_inserter(out);
  fmt::format_to(to, "{:<10}  {:>13}  {:>14}  {:<28}  {:>9}\n", "analysis", "racy accesses", "distinct races",
                 "first race", "seconds");
  for (const AnalysisResult& result : report.results) {
    const auto& first = result.races->first;
    const std::string where =
        first ? fmt::format("event {} (with {})", index(first->access.site.event), index(first->prior.site.event))
              : "none";
    fmt::format_to(to, "{:<10}  {:>13}  {:>14}  {:<28}  {:>9.3f}\n", result.name,
                   result.races->distinct.racy_accesses(), result.races->distinct.races().size(), where,
                   result.seconds);
  }
}

std::string side(const AnalysisReport& report, bool wrote, LocationId location, ThreadId thread) {
  std::string where = report.location(location);
  const std::string function = report.function ? report.function(where) : "";
  if (where.empty()) where = "(no location)";
  if (!function.empty()) where += " in " + function;
  return fmt::format("{:<5} at {} by thread {}", wrote ? "write" : "read", where, report.names->of(thread));
}

void add_finding(fmt::memory_buffer& out, const Finding& finding, std::size_t number, const AnalysisReport& report) {
  const Names& names = *report.names;
  const DistinctRace& race = finding.race;
  auto to = std::back_inserter(out);
  const std::string object = report.object ? report.object(names.of(race.later.variable)) : "";
  fmt::format_to(to, "\n{}. {} race on {}{}, {}\n", number, race_kind(race.earlier.wrote, race.later.wrote),
                 names.of(race.later.variable), object.empty() ? "" : fmt::format(" ({})", object),
                 count_of(race.count, "time", "times"));
  fmt::format_to(to, "     {}   (event {})\n",
                 side(report, race.earlier.wrote, race.earlier.site.location, race.earlier.thread),
                 index(race.earlier.site.event));
  fmt::format_to(to, "     {}   (event {})\n",
                 side(report, race.later.wrote, race.later.site.location, race.later.thread),
                 index(race.later.site.event));
  if (finding.analyses.size() == report.results.size()) {
    if (report.results.size() > 1) fmt::format_to(to, "     found by all {} analyses\n", report.results.size());
  } else {
    fmt::format_to(to, "     found by {}\n", fmt::join(finding.analyses, ", "));
  }
}

}  // namespace

std::string as_text(const AnalysisReport& report, std::size_t most) {
  const Names& names = *report.names;
  fmt::memory_buffer out;
  fmt::format_to(std::back_inserter(out), "{}: {}, {}, {}, {}\n\n", report.path,
                 count_of(report.events, "event", "events"),
                 count_of(names.of(OperandKind::Thread).size(), "thread", "threads"),
                 count_of(names.of(OperandKind::Lock).size(), "lock", "locks"),
                 count_of(names.of(OperandKind::Variable).size(), "variable", "variables"));
  add_table(out, report);
  const std::vector<Finding> all = findings(report);
  if (all.empty()) {
    fmt::format_to(std::back_inserter(out), "\nNo races.\n");
    return fmt::to_string(out);
  }
  const std::size_t shown = most == 0 ? all.size() : std::min(most, all.size());
  for (std::size_t i = 0; i < shown; ++i) add_finding(out, all[i], i + 1, report);
  if (shown < all.size()) {
    fmt::format_to(std::back_inserter(out), "\n… and {} more distinct races (--most 0 shows all)\n",
                   all.size() - shown);
  }
  return fmt::to_string(out);
}

}  // namespace omen::report
