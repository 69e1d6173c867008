#include "cli/compare_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cli/distances.hpp"
#include "trace/quote.hpp"

namespace omen::cli {
namespace {

using Json = nlohmann::ordered_json;
using vindicate::GroupVerdict;
using vindicate::kRaceClasses;
using vindicate::kRaceClassNames;
using vindicate::Outcome;
using vindicate::RaceClass;
using vindicate::StaticRace;

constexpr std::size_t kRelations = 4;
constexpr std::array<std::string_view, kRelations> kRelationNames{"HB", "WCP", "DC", "WDC"};
constexpr std::array<std::string_view, kRelations> kJsonNames{"hb", "wcp", "dc", "wdc"};
constexpr std::array<std::string_view, 3> kOutcomes{"confirmed", "excluded", "unknown"};

struct ClassCounts {
  std::uint64_t races = 0;                  ///< static races
  std::uint64_t dynamic = 0;                ///< dynamic races
  std::array<std::uint64_t, 3> verdicts{};  ///< of the static races, by `Outcome`
};

std::array<ClassCounts, kRaceClasses> count(const Comparison& comparison) {
  std::array<ClassCounts, kRaceClasses> counts;
  for (std::size_t i = 0; i < comparison.classes.races.size(); ++i) {
    ClassCounts& mine = counts[static_cast<std::size_t>(comparison.classes.races[i].strongest)];
    ++mine.races;
    ++mine.verdicts[static_cast<std::size_t>(comparison.verdicts[i].verdict.outcome)];
  }
  for (const auto& race : comparison.classes.dynamic) ++counts[static_cast<std::size_t>(race.strongest)].dynamic;
  return counts;
}

Distances distances_of(const Comparison& comparison, std::size_t race_class) {
  Distances distances;
  for (const auto& race : comparison.classes.dynamic) {
    if (static_cast<std::size_t>(race.strongest) == race_class) distances.add(race.pair.second - race.pair.first);
  }
  return distances;
}

/// The races that one relation shows.
struct Shown {
  std::uint64_t races = 0;
  std::uint64_t dynamic = 0;
};

std::array<Shown, kRelations> by_relation(const Comparison& comparison) {
  std::array<Shown, kRelations> shown;
  for (std::size_t i = 0; i < kRelations; ++i) {
    for (const auto& race : comparison.classes.races) shown[i].races += race.shown_by[i] ? 1U : 0U;
    for (const auto& race : comparison.classes.dynamic) shown[i].dynamic += race.shown_by[i] ? 1U : 0U;
  }
  return shown;
}

/// Table 3's columns: 0, 1, 2-3, 4-7, 8-15, 16 and more.
std::string histogram(const std::map<std::size_t, std::uint64_t>& counts) {
  std::string text;
  for (std::size_t low = 0, high = 0; low <= 16; low = high + 1, high = low == 1 ? 1 : 2 * low - 1) {
    std::uint64_t sum = 0;
    for (const auto& [value, races] : counts) sum += value >= low && (value <= high || low == 16) ? races : 0;
    if (sum == 0) continue;
    const std::string range = low == 16 ? "16+" : low == high ? std::to_string(low) : fmt::format("{}-{}", low, high);
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", range, sum);
  }
  return text;
}

class Text {
 public:
  Text(const Comparison& comparison, std::uint64_t most) : comparison_(comparison), most_(most) {}

  std::string write() {
    add("{}: {} events, {} threads\n", comparison_.path, comparison_.events, comparison_.threads);
    relations();
    classes();
    races();
    graph();
    distances();
    return std::move(out_);
  }

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> form, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), form, std::forward<Args>(args)...);
  }

  void relations() {
    add("\nraces by relation: static (dynamic)\n");
    const auto shown = by_relation(comparison_);
    for (std::size_t i = 0; i < kRelations; ++i) {
      add("  {:<4} {:>8} ({})\n", kRelationNames[i], shown[i].races, shown[i].dynamic);
    }
  }

  void classes() {
    add("\nby the first relation that shows them\n  {:<9} {:>8} {:>10}  {:>9} {:>8} {:>7}  {}\n", "class", "static",
        "dynamic", kOutcomes[0], kOutcomes[1], kOutcomes[2], "distance: least, median, most");
    for (std::size_t i = 0; i < kRaceClasses; ++i) {
      const ClassCounts& mine = counts_[i];
      const Distances distances = distances_of(comparison_, i);
      const std::string range =
          distances.empty() ? "-" : fmt::format("{}, {}, {}", distances.least(), distances.median(), distances.most());
      add("  {:<9} {:>8} {:>10}  {:>9} {:>8} {:>7}  {}\n", kRaceClassNames[i], mine.races, mine.dynamic,
          mine.verdicts[0], mine.verdicts[1], mine.verdicts[2], range);
    }
  }

  void races() {
    std::vector<std::size_t> order(comparison_.classes.races.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
      const RaceClass first = comparison_.classes.races[a].strongest;
      const RaceClass second = comparison_.classes.races[b].strongest;
      return first != second ? first > second : a < b;
    });
    if (order.empty()) return;
    add("\nstatic races, those of the weakest relation first\n");
    std::uint64_t shown = 0;
    for (const std::size_t i : order) {
      if (most_ != 0 && shown++ == most_) {
        add("  ({} more not shown; --most 0 shows all)\n", order.size() - most_);
        return;
      }
      const StaticRace& race = comparison_.classes.races[i];
      const vindicate::Pair pair = comparison_.verdicts[i].verdict.pair;
      add("  {:<9} {:<9} {}: {} with {}; {} dynamic, distance {}\n",
          kRaceClassNames[static_cast<std::size_t>(race.strongest)],
          kOutcomes[static_cast<std::size_t>(comparison_.verdicts[i].verdict.outcome)],
          on_one_line(comparison_.variable(pair.first)), on_one_line(comparison_.place(pair.first)),
          on_one_line(comparison_.place(pair.second)), race.candidates.count,
          race.nearest == race.farthest ? std::to_string(race.nearest)
                                        : fmt::format("{}-{}", race.nearest, race.farthest));
    }
  }

  void graph() {
    bool headed = false;
    for (std::size_t i = 0; i < kRaceClasses; ++i) {
      const GraphCounts& mine = comparison_.graph[i];
      if (mine.asked == 0) continue;
      if (!headed) add("\nVindicateRace on the dynamic races that happens-before does not show\n");
      headed = true;
      add("  {:<9} {} of {} are races; constraints added (races): {}; iterations (races): {}\n", kRaceClassNames[i],
          mine.races, mine.asked, histogram(mine.constraints), histogram(mine.iterations));
    }
  }

  void distances() {
    if (comparison_.classes.dynamic.empty()) return;
    add("\ndynamic races with at least this distance, in percent\n  {:<9}", "class");
    std::uint64_t most = 1;
    for (std::size_t i = 0; i < kRaceClasses; ++i) most = std::max(most, distances_of(comparison_, i).most());
    std::vector<std::uint64_t> steps;
    for (std::uint64_t step = 1; step <= most; step *= 10) steps.push_back(step);
    for (const std::uint64_t step : steps) add(" {:>10}", step);
    add("\n");
    for (std::size_t i = 0; i < kRaceClasses; ++i) {
      const Distances mine = distances_of(comparison_, i);
      if (mine.empty()) continue;
      add("  {:<9}", kRaceClassNames[i]);
      for (const std::uint64_t step : steps) add(" {:>10.1f}", 100 * mine.at_least(step));
      add("\n");
    }
  }

  const Comparison& comparison_;
  std::uint64_t most_;
  std::array<ClassCounts, kRaceClasses> counts_ = count(comparison_);
  std::string out_;
};

Json counts_json(const std::map<std::size_t, std::uint64_t>& counts) {
  Json object = Json::object();
  for (const auto& [value, races] : counts) object[std::to_string(value)] = races;
  return object;
}

}  // namespace

std::string as_text(const Comparison& comparison, std::uint64_t most) {
  return Text(comparison, most).write();
}

Json as_json(const Comparison& comparison) {
  const auto counts = count(comparison);
  const auto shown = by_relation(comparison);
  Json relations = Json::array();
  Json classes = Json::array();
  for (std::size_t i = 0; i < kRaceClasses; ++i) {
    if (i < kRelations) {
      relations.push_back({{"relation", kJsonNames[i]}, {"static", shown[i].races}, {"dynamic", shown[i].dynamic}});
    }
    const Distances distances = distances_of(comparison, i);
    Json cdf = Json::array();
    for (const auto& [distance, share] : distances.steps()) cdf.push_back({distance, share});
    Json one{{"class", kRaceClassNames[i]}, {"static", counts[i].races}, {"dynamic", counts[i].dynamic}};
    for (std::size_t k = 0; k < kOutcomes.size(); ++k) one[std::string(kOutcomes[k])] = counts[i].verdicts[k];
    one["distances"] = distances.empty() ? Json(nullptr)
                                         : Json{{"least", distances.least()},
                                                {"median", distances.median()},
                                                {"most", distances.most()},
                                                {"at_least", cdf}};
    const GraphCounts& graph = comparison.graph[i];
    if (graph.asked != 0) {
      one["vindicate_race"] = {{"asked", graph.asked},
                               {"races", graph.races},
                               {"constraints", counts_json(graph.constraints)},
                               {"iterations", counts_json(graph.iterations)}};
    }
    classes.push_back(std::move(one));
  }
  Json races = Json::array();
  for (std::size_t i = 0; i < comparison.classes.races.size(); ++i) {
    const StaticRace& race = comparison.classes.races[i];
    const GroupVerdict& verdict = comparison.verdicts[i];
    const vindicate::Pair pair = verdict.verdict.pair;
    races.push_back({{"class", kRaceClassNames[static_cast<std::size_t>(race.strongest)]},
                     {"verdict", kOutcomes[static_cast<std::size_t>(verdict.verdict.outcome)]},
                     {"variable", comparison.variable(pair.first)},
                     {"locations", {comparison.place(pair.first), comparison.place(pair.second)}},
                     {"dynamic", race.candidates.count},
                     {"distance", {race.nearest, race.farthest}},
                     {"pair", {pair.first, pair.second}}});
  }
  return {{"omen", 1},
          {"trace", {{"path", comparison.path}, {"events", comparison.events}, {"threads", comparison.threads}}},
          {"relations", relations},
          {"classes", classes},
          {"races", races}};
}

std::string as_svg(const Comparison& comparison) {
  std::vector<std::pair<std::string, Distances>> lines;
  for (std::size_t i = 0; i < kRaceClasses; ++i) {
    Distances distances = distances_of(comparison, i);
    if (!distances.empty()) lines.emplace_back(std::string(kRaceClassNames[i]), std::move(distances));
  }
  return distance_plot(lines);
}

}  // namespace omen::cli
