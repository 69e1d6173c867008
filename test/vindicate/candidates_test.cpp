/// \file
/// Which pairs are confirmed: `all` gives every predictable pair, an analysis every pair that its relation leaves
/// unordered.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "test/judges/conformance.hpp"
#include "test/judges/relation_oracle.hpp"
#include "test/judges/reordering_search.hpp"
#include "test/judges/std_text.hpp"
#include "test/judges/trace_count.hpp"
#include "test/judges/trace_generator.hpp"
#include "vindicate/candidates.hpp"
#include "vindicate/confirm.hpp"

namespace omen::vindicate {
namespace {

constexpr std::uint64_t kFirstSeed = 43'000'000;

/// The races among the candidates, decided together, sorted as the judges sort them.
std::vector<judges::Pair> races(const Confirmer& confirmer, const std::vector<CandidateGroup>& groups) {
  std::vector<Pair> pairs;
  for (const CandidateGroup& group : groups) pairs.insert(pairs.end(), group.pairs.begin(), group.pairs.end());
  std::vector<judges::Pair> found;
  for (const Verdict& verdict : confirmer.confirm(pairs)) {
    EXPECT_NE(verdict.outcome, Outcome::Unknown);
    if (verdict.outcome == Outcome::Race) found.emplace_back(verdict.pair.first, verdict.pair.second);
  }
  std::ranges::sort(found, {}, [](const judges::Pair& p) { return judges::Pair{p.second, p.first}; });
  return found;
}

void expect_exact(const Trace& trace, const std::vector<judges::Pair>& lw) {
  const judges::RelationOracle oracle(trace);
  const Confirmer confirmer(trace, {}, Budget::of(Budget::kDefault));
  ASSERT_EQ(races(confirmer, all_candidates(confirmer.index(), true)), lw) << judges::to_std(trace);
  const auto wdc = oracle.races(judges::Relation::Wdc).pairs;
  std::vector<judges::Pair> both;
  std::ranges::copy_if(lw, std::back_inserter(both),
                       [&](const judges::Pair& p) { return std::ranges::count(wdc, p) == 1; });
  const auto candidates = analysed_candidates(confirmer.index(), *find_analysis("st-wdc"), true);
  std::vector<judges::Pair> candidate_pairs;
  for (const CandidateGroup& group : candidates)
    candidate_pairs.emplace_back(group.pairs[0].first, group.pairs[0].second);
  std::ranges::sort(candidate_pairs, {}, [](const judges::Pair& p) { return judges::Pair{p.second, p.first}; });
  ASSERT_EQ(candidate_pairs, wdc) << judges::to_std(trace);
  ASSERT_EQ(races(confirmer, candidates), both) << judges::to_std(trace);
}

TEST(VindicateCandidates, AreExactOnRandomTraces) {
  const std::size_t traces = judges::trace_count(20'000);
  std::size_t beyond = 0;
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + traces; ++seed) {
    const Trace trace = judges::generate(judges::kShapes[seed % judges::kShapes.size()], seed, {.max_events = 20});
    const judges::ReorderingSearch search(trace, judges::Notion::Lw);
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_exact(trace, search.pairs());
    if (HasFailure()) return;
    const auto wdc = judges::RelationOracle(trace).races(judges::Relation::Wdc).pairs;
    const auto found = search.pairs();
    if (std::ranges::any_of(found, [&](const auto& p) { return std::ranges::count(wdc, p) == 0; })) ++beyond;
  }
  std::printf("%zu traces (seeds from %llu), %zu with races that WDC orders\n", traces,
              static_cast<unsigned long long>(kFirstSeed), beyond);
  EXPECT_GT(beyond, 0U);
}

TEST(VindicateCandidates, AreExactOnTheConformanceTraces) {
  for (const auto& one : judges::load_conformance_traces(std::string(OMEN_TEST_DATA) + "/conformance/traces.jsonl")) {
    SCOPED_TRACE(one.name);
    expect_exact(one.trace, one.lw);
    if (HasFailure()) return;
  }
  for (const auto& one : judges::load_figures(std::string(OMEN_TEST_DATA) + "/conformance/figures")) {
    SCOPED_TRACE(one.name);
    expect_exact(one.trace, one.lw);
    if (HasFailure()) return;
  }
}

TEST(VindicateCandidates, WdcOrdersWhatLwAdmits) {
  const Trace trace = judges::trace_of(R"(
    T2|r(x)
    T2|acq(m)
    T2|w(x)
    T2|rel(m)
    T0|acq(m)
    T0|w(x)
    T0|rel(m)
    T0|r(x))");
  const Confirmer confirmer(trace, {}, Budget::of(Budget::kDefault));
  EXPECT_TRUE(analysed_candidates(confirmer.index(), *find_analysis("st-wdc"), true).empty());
  const std::vector<judges::Pair> expected{{0, 5}, {2, 7}};
  EXPECT_EQ(races(confirmer, all_candidates(confirmer.index(), true)), expected);
}

TEST(VindicateCandidates, OneGroupPerPairOfLocations) {
  const Trace trace = judges::trace_of("T1|w(x)|a\nT1|w(x)|a\nT2|r(x)|b\nT2|r(x)|b\nT2|w(y)|c\nT1|w(y)|d");
  const TraceIndex index(trace);
  EXPECT_EQ(analysed_candidates(index, *find_analysis("unopt-wdc"), true).size(), 5U);
  const auto groups = analysed_candidates(index, *find_analysis("unopt-wdc"), false);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].count, 2U);
  EXPECT_EQ(all_candidates(index, false).size(), 2U);
  // Without locations, variables distinguish pairs.
  const Trace bare = judges::trace_of("T1|w(x)\nT1|w(y)\nT2|w(x)\nT2|w(y)");
  EXPECT_EQ(all_candidates(TraceIndex(bare), false).size(), 2U);
}

}  // namespace
}  // namespace omen::vindicate
