#include "report/rule_counters.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace omen::report {
namespace {

struct Totals {
  std::uint64_t accesses = 0;
  std::uint64_t not_same_epoch = 0;
};

Totals totals(const RuleCounters& counters) {
  Totals sum;
  for (std::size_t i = 0; i < kRuleCount; ++i) {
    sum.accesses += counters.fired[i];
    if (!is_same_epoch(static_cast<Rule>(i))) sum.not_same_epoch += counters.fired[i];
  }
  return sum;
}

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

/// The number of accesses that held at least `n` locks, of those that no same-epoch case handled.
std::uint64_t held_at_least(const RuleCounters& counters, std::size_t n) {
  std::uint64_t sum = 0;
  for (std::size_t i = n; i < counters.locks_held.size(); ++i) sum += counters.locks_held[i];
  return sum;
}

}  // namespace

std::string counters_as_text(const std::vector<CountedAnalysis>& analyses) {
  fmt::memory_buffer out;
  auto to = std::back_inserter(out);
  const auto row = [&](std::string_view what, auto value, auto whole) {
    fmt::format_to(to, "{:<28}", what);
    for (const CountedAnalysis& analysis : analyses) {
      const std::uint64_t n = value(analysis.counters);
      fmt::format_to(to, "{:>12}{:>7.2f} %", n, percent(n, whole(totals(analysis.counters))));
    }
    fmt::format_to(to, "\n");
  };
  const auto of_accesses = [](const Totals& sum) { return sum.accesses; };
  const auto of_rest = [](const Totals& sum) { return sum.not_same_epoch; };

  fmt::format_to(to, "{:<28}", "cases, of all accesses");
  for (const CountedAnalysis& analysis : analyses) fmt::format_to(to, "{:>21}", analysis.name);
  fmt::format_to(to, "\n");
  for (std::size_t i = 0; i < kRuleCount; ++i) {
    bool fired = false;
    for (const CountedAnalysis& analysis : analyses) fired |= analysis.counters.fired[i] != 0;
    if (fired) row(fmt::format("  {}", kRuleNames[i]), [&](const RuleCounters& c) { return c.fired[i]; }, of_accesses);
  }
  row("not in the same epoch", [](const RuleCounters& c) { return totals(c).not_same_epoch; }, of_accesses);
  fmt::format_to(to, "\nof those not in the same epoch\n");
  for (std::size_t n = 1; n < 4; ++n) {
    row(
        fmt::format("  at least {} lock{} held", n, n == 1 ? "" : "s"),
        [&](const RuleCounters& c) { return held_at_least(c, n); }, of_rest);
  }
  row("  ancillary checked", [](const RuleCounters& c) { return c.ancillary_checked; }, of_rest);
  row("  ancillary used", [](const RuleCounters& c) { return c.ancillary_used; }, of_rest);
  return fmt::to_string(out);
}

nlohmann::ordered_json counters_as_json(const std::vector<CountedAnalysis>& analyses) {
  auto all = nlohmann::ordered_json::array();
  for (const CountedAnalysis& analysis : analyses) {
    const RuleCounters& counters = analysis.counters;
    nlohmann::ordered_json rules = nlohmann::ordered_json::object();
    for (std::size_t i = 0; i < kRuleCount; ++i) rules[std::string(kRuleNames[i])] = counters.fired[i];
    all.push_back(
        {{"analysis", analysis.name},
         {"rules", rules},
         {"accesses", totals(counters).accesses},
         {"not_same_epoch", totals(counters).not_same_epoch},
         {"held_at_least", {held_at_least(counters, 1), held_at_least(counters, 2), held_at_least(counters, 3)}},
         {"ancillary_checked", counters.ancillary_checked},
         {"ancillary_used", counters.ancillary_used}});
  }
  return all;
}

}  // namespace omen::report
