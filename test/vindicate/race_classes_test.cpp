/// \file
/// The classes of races: the figures of Vindicator, and random traces against the relations' definitions. A pair's
/// class is the strongest relation that leaves it unordered; every access that races under a relation has a pair.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>
#include <string>

#include "test/judges/relation_oracle.hpp"
#include "test/judges/std_text.hpp"
#include "test/judges/trace_count.hpp"
#include "test/judges/trace_generator.hpp"
#include "trace/formats/format.hpp"
#include "vindicate/race_classes.hpp"

namespace omen::vindicate {
namespace {

constexpr std::uint64_t kFirstSeed = 53'000'000;
constexpr std::array kRelations{judges::Relation::Hb, judges::Relation::Wcp, judges::Relation::Dc,
                                judges::Relation::Wdc};

Trace figure(const std::string& name) {
  auto trace = load(*open_trace(std::string(OMEN_TEST_DATA) + "/conformance/figures/" + name));
  EXPECT_TRUE(trace) << name;
  return std::move(*trace);
}

TEST(RaceClasses, OfTheFigures) {
  const std::array<std::pair<const char*, RaceClass>, 4> kFigures{{{"vind_Figure1.std", RaceClass::Wcp},
                                                                   {"vind_Figure2.std", RaceClass::Dc},
                                                                   {"vind_Figure3.std", RaceClass::Dc},
                                                                   {"vind_Figure4a.std", RaceClass::Dc}}};
  for (const auto& [name, expected] : kFigures) {
    const Trace trace = figure(name);
    const TraceIndex index(trace);
    const RaceClasses classes = classify(index);
    ASSERT_EQ(classes.races.size(), 1U) << name;
    EXPECT_EQ(classes.races[0].strongest, expected) << name;
    ASSERT_EQ(classes.dynamic.size(), 1U) << name;
    const Pair pair = classes.dynamic[0].pair;
    EXPECT_EQ(classes.races[0].nearest, pair.second - pair.first);
    EXPECT_EQ(classes.races[0].farthest, pair.second - pair.first);
  }
}

TEST(RaceClasses, AreThoseOfTheDefinitionsOnRandomTraces) {
  const std::size_t traces = judges::trace_count(3'000);
  std::array<std::size_t, kRaceClasses> seen{};
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + traces; ++seed) {
    const Trace trace = judges::generate(judges::kShapes[seed % judges::kShapes.size()], seed, {.max_events = 40});
    const judges::RelationOracle oracle(trace);
    std::array<std::set<judges::Pair>, kRelations.size()> pairs;
    for (std::size_t i = 0; i < kRelations.size(); ++i) {
      const auto all = oracle.races(kRelations[i]).pairs;
      pairs[i].insert(all.begin(), all.end());
    }
    const TraceIndex index(trace);
    const RaceClasses classes = classify(index);
    std::array<std::set<std::size_t>, kRelations.size()> racy;  // by relation: later accesses of pairs that it shows
    for (const DynamicRace& race : classes.dynamic) {
      const judges::Pair pair{race.pair.first, race.pair.second};
      const auto strongest = static_cast<std::size_t>(race.strongest);
      ++seen[strongest];
      ASSERT_TRUE(race.shown_by[strongest]);
      ASSERT_EQ((race.shown_by & ShownBy((1U << strongest) - 1)).count(), 0U);
      for (std::size_t i = 0; i < kRelations.size(); ++i) {
        ASSERT_EQ(pairs[i].contains(pair), race.shown_by[i])
            << "seed " << seed << ", pair " << pair.first << "," << pair.second << '\n'
            << judges::to_std(trace);
        if (race.shown_by[i]) racy[i].insert(pair.second);
      }
    }
    for (std::size_t i = 0; i < kRelations.size(); ++i) {
      std::set<std::size_t> expected;
      for (const auto& pair : pairs[i]) expected.insert(pair.second);
      ASSERT_EQ(racy[i], expected) << "seed " << seed << '\n' << judges::to_std(trace);
    }
    std::uint64_t counted = 0;
    for (const StaticRace& race : classes.races) counted += race.candidates.count;
    ASSERT_EQ(counted, classes.dynamic.size());
  }
  std::printf("%zu traces (seeds from %llu): %zu HB, %zu WCP-only, %zu DC-only, %zu WDC-only\n", traces,
              static_cast<unsigned long long>(kFirstSeed), seen[0], seen[1], seen[2], seen[3]);
  for (std::size_t i = 0; i < kRelations.size(); ++i) EXPECT_GT(seen[i], 0U) << kRaceClassNames[i];
}

}  // namespace
}  // namespace omen::vindicate
