/// \file
/// Pairs that nothing orders under LW, found in one pass: exactly those that the closure's first step leaves, including
/// every predictable one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <set>

#include "test/judges/reordering_search.hpp"
#include "test/judges/std_text.hpp"
#include "test/judges/trace_count.hpp"
#include "test/judges/trace_generator.hpp"
#include "test/judges/updates.hpp"
#include "vindicate/candidates.hpp"
#include "vindicate/closure.hpp"
#include "vindicate/unordered_pairs.hpp"

namespace omen::vindicate {
namespace {

constexpr std::uint64_t kFirstSeed = 47'000'000;

/// Each event has its own location, so that no pair represents another.
std::set<Pair> unordered_pairs(const Trace& trace, Model model) {
  std::set<Pair> found;
  UnorderedPairs pairs(model);
  for (EventNo e = 0; e < trace.size(); ++e) {
    Event event = trace.events[e];
    event.location = LocationId{kNumericLocation | e};
    pairs.take(event, e, [&](Pair pair) { found.insert(pair); });
  }
  return found;
}

/// Decides each pair of events.
std::set<Pair> pairs_that_may_meet(const TraceIndex& index) {
  Closure closure(index, nullptr);
  std::set<Pair> found;
  for (EventNo later = 0; later < index.size(); ++later) {
    for (EventNo earlier = 0; earlier < later; ++earlier) {
      const Pair pair{earlier, later};
      if (index.conflict(earlier, later) && !closure.ordered(pair)) found.insert(pair);
    }
  }
  return found;
}

TEST(UnorderedPairs, AreThoseThatNeitherNeedsNorLocksOrder) {
  const std::size_t traces = judges::trace_count(20'000);
  std::size_t with_pairs = 0;
  std::size_t with_excluded = 0;
  std::size_t predictable = 0;
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + traces; ++seed) {
    const Trace trace = judges::generate(judges::kShapes[seed % judges::kShapes.size()], seed, {.max_events = 24});
    SCOPED_TRACE("seed " + std::to_string(seed));
    const TraceIndex index(trace);
    const auto found = unordered_pairs(trace, Model::Lw);
    ASSERT_EQ(found, pairs_that_may_meet(index)) << judges::to_std(trace);
    for (const judges::Pair& pair : judges::ReorderingSearch(trace, judges::Notion::Lw).pairs()) {
      ++predictable;
      ASSERT_TRUE(found.contains({static_cast<EventNo>(pair.first), static_cast<EventNo>(pair.second)}))
          << judges::to_std(trace);
    }
    std::size_t conflicting = 0;
    for (EventNo f = 0; f < index.size(); ++f) {
      for (EventNo e = 0; e < f; ++e) conflicting += index.conflict(e, f);
    }
    with_pairs += !found.empty();
    with_excluded += found.size() < conflicting;
  }
  std::printf("%zu traces (seeds from %llu), %zu with pairs, %zu with excluded ones, %zu predictable pairs\n", traces,
              static_cast<unsigned long long>(kFirstSeed), with_pairs, with_excluded, predictable);
  EXPECT_GT(with_pairs, traces / 10);
  EXPECT_GT(with_excluded, traces / 10);
  EXPECT_GT(predictable, traces / 10);
}

/// Under DATA they are a superset of the predictable pairs, and larger than under LW.
TEST(UnorderedPairs, UnderDataContainThePredictable) {
  const std::size_t traces = judges::trace_count(20'000) / 4;
  std::size_t predictable = 0;
  std::size_t more = 0;
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + traces; ++seed) {
    const Trace trace = judges::with_updates(
        judges::generate(judges::kShapes[seed % judges::kShapes.size()], seed, {.max_events = 18}), seed);
    const auto found = unordered_pairs(trace, Model::Data);
    for (const judges::Pair& pair : judges::ReorderingSearch(trace, judges::Notion::Data).pairs()) {
      ++predictable;
      ASSERT_TRUE(found.contains({static_cast<EventNo>(pair.first), static_cast<EventNo>(pair.second)}))
          << "seed " << seed << '\n'
          << judges::to_std(trace);
    }
    more += found.size() > unordered_pairs(trace, Model::Lw).size();
  }
  EXPECT_GT(predictable, traces / 10);
  EXPECT_GT(more, traces / 50);
}

/// A repeated access at one location is represented by its latest occurrence.
TEST(UnorderedPairs, StandForAccessesAtTheSamePlaces) {
  const Trace trace = judges::trace_of(
      "T0|fork(T1)|a\n"
      "T0|w(x)|b\nT0|w(x)|b\nT0|w(x)|b\n"
      "T1|w(x)|c\nT1|w(x)|d\nT1|w(x)|d\n");
  const auto groups = unordered_candidates(TraceIndex(trace));
  ASSERT_EQ(groups.size(), 2U);
  for (const CandidateGroup& group : groups) {
    ASSERT_EQ(group.pairs.size(), 1U);
    EXPECT_EQ(group.pairs[0].first, 3U);
  }
}

}  // namespace
}  // namespace omen::vindicate
