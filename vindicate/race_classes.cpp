#include "vindicate/race_classes.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/registry.hpp"
#include "trace/check.hpp"

namespace omen::vindicate {
namespace {

/// The later event in the high half: ascending keys are in the order in which an analysis reports pairs.
using PairKey = std::uint64_t;

PairKey key_of(EventNo earlier, EventNo later) {
  return (PairKey{later} << 32) | earlier;
}

class PairSink final : public RaceSink {
 public:
  explicit PairSink(const TraceIndex& index) : index_(index) {}

  void race(const RacyAccess& access, std::span<const PriorAccess> priors) override {
    const auto later = static_cast<EventNo>(omen::index(access.site.event));
    for (const PriorAccess& prior : priors) {
      const auto earlier = static_cast<EventNo>(omen::index(prior.site.event));
      if (index_.conflict(earlier, later)) pairs_.push_back(key_of(earlier, later));
    }
  }

  std::vector<PairKey> take() {
    std::ranges::sort(pairs_);
    pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
    return std::move(pairs_);
  }

 private:
  const TraceIndex& index_;
  std::vector<PairKey> pairs_;
};

std::vector<PairKey> pairs_of(const TraceIndex& index, std::string_view analysis) {
  const AnalysisInfo* const info = find_analysis(analysis);
  OMEN_CHECK(info != nullptr);
  PairSink sink(index);
  info->make(sink, {})->run(index.trace().events);
  return sink.take();
}

using PlaceKey = std::tuple<LocationId, LocationId, VariableId>;

/// The variable distinguishes pairs if the trace has no locations.
PlaceKey places_of(const TraceIndex& index, Pair pair) {
  const Event& e = index.event(pair.first);
  const Event& f = index.event(pair.second);
  const auto [low, high] = std::minmax(e.location, f.location);
  const Names& names = index.trace().names;
  const bool unknown = names.text(low).empty() || names.text(high).empty();
  return {low, high, unknown ? e.variable() : VariableId{}};
}

}  // namespace

RaceClasses classify(const TraceIndex& index) {
  constexpr std::array<std::string_view, 4> kAnalyses{"unopt-hb", "unopt-wcp", "unopt-dc", "unopt-wdc"};
  std::map<PairKey, ShownBy> shown;
  for (std::size_t i = 0; i < kAnalyses.size(); ++i) {
    for (const PairKey pair : pairs_of(index, kAnalyses[i])) shown[pair].set(i);
  }
  RaceClasses classes;
  classes.dynamic.reserve(shown.size());
  std::map<PlaceKey, std::uint32_t> known;
  std::vector<PairSample> samples;
  for (const auto& [key, shown_by] : shown) {
    const auto race_class = static_cast<RaceClass>(std::countr_zero(shown_by.to_ulong()));
    const Pair pair{static_cast<EventNo>(key), static_cast<EventNo>(key >> 32)};
    const auto next = static_cast<std::uint32_t>(classes.races.size());
    const auto [entry, is_new] = known.emplace(places_of(index, pair), next);
    const std::uint64_t distance = pair.second - pair.first;
    if (is_new) {
      classes.races.push_back(
          {.strongest = race_class, .shown_by = {}, .candidates = {}, .nearest = distance, .farthest = distance});
      samples.emplace_back();
    }
    StaticRace& race = classes.races[entry->second];
    race.strongest = std::min(race.strongest, race_class);
    race.shown_by |= shown_by;
    race.nearest = std::min(race.nearest, distance);
    race.farthest = std::max(race.farthest, distance);
    samples[entry->second].add(pair);
    classes.dynamic.push_back({pair, race_class, shown_by, entry->second});
  }
  for (std::size_t i = 0; i < samples.size(); ++i) classes.races[i].candidates = std::move(samples[i]).take();
  return classes;
}

std::vector<CandidateGroup> beyond_relations(const TraceIndex& index, const RaceClasses& known) {
  std::set<PlaceKey> places;
  for (const StaticRace& race : known.races) places.insert(places_of(index, race.candidates.pairs.front()));
  auto groups = unordered_candidates(index);
  std::erase_if(groups, [&](const CandidateGroup& group) {
    return group.pairs.empty() || places.contains(places_of(index, group.pairs.front()));
  });
  return groups;
}

}  // namespace omen::vindicate
