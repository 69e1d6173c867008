/// \file
/// Confirmation against the exhaustive search, pair by pair: all steps together are exact under LW, and each step alone
/// is sound.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>

#include "test/judges/conformance.hpp"
#include "test/judges/reordering_search.hpp"
#include "test/judges/std_text.hpp"
#include "test/judges/trace_count.hpp"
#include "test/judges/trace_generator.hpp"
#include "test/judges/updates.hpp"
#include "vindicate/confirm.hpp"

namespace omen::vindicate {
namespace {

constexpr std::uint64_t kFirstSeed = 41'000'000;

std::vector<Pair> conflicting_pairs(const TraceIndex& index) {
  std::vector<Pair> pairs;
  for (EventNo f = 0; f < index.size(); ++f) {
    for (EventNo e = 0; e < f; ++e) {
      if (index.conflict(e, f)) pairs.push_back({e, f});
    }
  }
  return pairs;
}

bool accepts(const Trace& trace, const std::vector<EventNo>& witness, judges::Notion notion) {
  return judges::accepts_witness(trace, std::vector<std::size_t>(witness.begin(), witness.end()), notion);
}

judges::Notion notion_of(Model model) {
  return model == Model::Data ? judges::Notion::Data : judges::Notion::Lw;
}

/// All steps. `lw` is the search under the model's notion.
void expect_exact(const Trace& trace, const judges::ReorderingSearch& lw, const Methods& methods,
                  std::map<Method, std::size_t>& count, Model model = Model::Lw) {
  const Confirmer confirmer(trace, methods, Budget::of(Budget::kDefault), {}, model);
  for (const Pair pair : conflicting_pairs(confirmer.index())) {
    const Verdict verdict = confirmer.confirm(pair);
    ++count[verdict.method];
    const bool expected = lw.predictable({pair.first, pair.second});
    ASSERT_EQ(name(verdict.outcome), name(expected ? Outcome::Race : Outcome::NoRace))
        << "pair " << pair.first << "," << pair.second << " by " << static_cast<int>(verdict.method) << '\n'
        << judges::to_std(trace);
    if (verdict.outcome == Outcome::NoRace) {
      ASSERT_EQ(verdict.window_begin, 0U);
      ASSERT_FALSE(verdict.under_ca);
      continue;
    }
    const auto witness = confirmer.witness(verdict);
    ASSERT_TRUE(accepts(trace, witness, notion_of(model))) << judges::to_std(trace);
    ASSERT_EQ(verdict.under_ca, accepts(trace, witness, judges::Notion::Ca))
        << "pair " << pair.first << "," << pair.second << " by " << name(verdict.method) << ' '
        << testing::PrintToString(witness) << '\n'
        << judges::to_std(trace);
  }
}

void print(const char* what, std::size_t traces, const std::map<Method, std::size_t>& count) {
  std::printf("%s: %zu traces (seeds from %llu), pairs by order %zu, closure %zu, graph %zu, search %zu, smt %zu\n",
              what, traces, static_cast<unsigned long long>(kFirstSeed),
              count.contains(Method::Order) ? count.at(Method::Order) : 0,
              count.contains(Method::Closure) ? count.at(Method::Closure) : 0,
              count.contains(Method::Graph) ? count.at(Method::Graph) : 0,
              count.contains(Method::Search) ? count.at(Method::Search) : 0,
              count.contains(Method::Smt) ? count.at(Method::Smt) : 0);
}

Trace random_trace(std::uint64_t seed, std::size_t max_events) {
  return judges::generate(judges::kShapes[seed % judges::kShapes.size()], seed, {.max_events = max_events});
}

TEST(VindicateAgreement, AllStepsAreExactOnRandomTraces) {
  const std::size_t traces = judges::trace_count(24'000);
  std::map<Method, std::size_t> count;
  std::size_t skipped = 0;
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + traces; ++seed) {
    const Trace trace = random_trace(seed, seed % 4 == 0 ? 30 : 20);
    const judges::ReorderingSearch lw(trace, judges::Notion::Lw, 100'000);
    if (!lw.complete()) {
      ++skipped;
      continue;
    }
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_exact(trace, lw, {}, count);
    if (HasFatalFailure()) return;
  }
  print("all steps", traces - skipped, count);
  EXPECT_LT(skipped, traces / 20);
  for (const Method method : {Method::Order, Method::Closure, Method::Graph, Method::Search}) {
    EXPECT_GT(count[method], 0U) << name(method);
  }
}

Trace random_updates(std::uint64_t seed, std::size_t max_events) {
  return judges::with_updates(random_trace(seed, max_events), seed);
}

/// Under DATA, with updates; includes races that only DATA has.
void expect_exact_with_updates(std::size_t traces, const Methods& methods, const char* what) {
  std::map<Method, std::size_t> count;
  std::size_t skipped = 0;
  std::size_t more = 0;
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + traces; ++seed) {
    const Trace trace = random_updates(seed, seed % 4 == 0 ? 24 : 16);
    const judges::ReorderingSearch data(trace, judges::Notion::Data, 100'000);
    if (!data.complete()) {
      ++skipped;
      continue;
    }
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_exact(trace, data, methods, count, Model::Data);
    if (testing::Test::HasFatalFailure()) return;
    const judges::ReorderingSearch lw(trace, judges::Notion::Lw);
    for (const auto& pair : lw.pairs()) ASSERT_TRUE(data.predictable(pair)) << judges::to_std(trace);
    more += data.pairs().size() - lw.pairs().size();
  }
  print(what, traces - skipped, count);
  std::printf("%zu pairs under DATA alone\n", more);
  EXPECT_LE(skipped, traces / 20);
  EXPECT_GT(more, traces / 20);
}

TEST(VindicateAgreement, AllStepsAreExactOnRandomUpdates) {
  expect_exact_with_updates(judges::trace_count(24'000), {}, "all steps, updates");
}
TEST(VindicateAgreement, SearchAloneIsExactOnRandomUpdates) {
  expect_exact_with_updates(judges::trace_count(24'000) / 8,
                            {.order = false, .closure = false, .graph = false, .smt = false}, "search alone, updates");
}
TEST(VindicateAgreement, SmtAloneIsExactOnRandomUpdates) {
  expect_exact_with_updates(judges::trace_count(24'000) / 60,
                            {.order = false, .closure = false, .graph = false, .search = false}, "smt alone, updates");
}

TEST(VindicateAgreement, SearchAloneIsExactOnRandomTraces) {
  const std::size_t traces = judges::trace_count(24'000) / 8;
  std::map<Method, std::size_t> count;
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + traces; ++seed) {
    const Trace trace = random_trace(seed, 20);
    const judges::ReorderingSearch lw(trace, judges::Notion::Lw);
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_exact(trace, lw, {.order = false, .closure = false, .graph = false, .smt = false}, count);
    if (HasFatalFailure()) return;
  }
  print("search alone", traces, count);
}

TEST(VindicateAgreement, SmtAloneIsExactOnRandomTraces) {
  const std::size_t traces = judges::trace_count(24'000) / 60;
  std::map<Method, std::size_t> count;
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + traces; ++seed) {
    const Trace trace = random_trace(seed, 24);
    const judges::ReorderingSearch lw(trace, judges::Notion::Lw);
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_exact(trace, lw, {.order = false, .closure = false, .graph = false, .search = false}, count);
    if (HasFatalFailure()) return;
  }
  print("smt alone", traces, count);
}

/// A cycle excludes CA, a constructed trace is a CA witness.
TEST(VindicateAgreement, TheGraphAloneIsRightUnderCa) {
  const std::size_t traces = judges::trace_count(24'000) / 4;
  std::size_t races = 0;
  std::size_t cycles = 0;
  std::size_t dont_know = 0;
  std::size_t missed = 0;
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + traces; ++seed) {
    const Trace trace = random_trace(seed, 20);
    const judges::ReorderingSearch ca(trace, judges::Notion::Ca);
    const TraceIndex index(trace);
    const ConflictOrder order(index);
    for (const Pair pair : conflicting_pairs(index)) {
      const GraphAnswer answer = vindicate_race(index, order, pair, 1'000'000);
      const bool expected = ca.predictable({pair.first, pair.second});
      const std::string where = "seed " + std::to_string(seed) + ", pair " + std::to_string(pair.first) + "," +
                                std::to_string(pair.second) + '\n' + judges::to_std(trace);
      switch (answer.kind) {
        case GraphAnswer::Kind::Race:
          ++races;
          ASSERT_TRUE(expected) << where;
          ASSERT_TRUE(accepts(trace, answer.witness, judges::Notion::Ca))
              << where << testing::PrintToString(answer.witness);
          break;
        case GraphAnswer::Kind::NoRaceUnderCa:
          ++cycles;
          ASSERT_FALSE(expected) << where;
          break;
        case GraphAnswer::Kind::DontKnow:
          ++dont_know;
          missed += expected ? 1 : 0;
          break;
        case GraphAnswer::Kind::TooLarge:
          FAIL() << where;
      }
    }
  }
  std::printf("graph alone: %zu traces (seeds from %llu), %zu races, %zu cycles, %zu don't know of which %zu races\n",
              traces, static_cast<unsigned long long>(kFirstSeed), races, cycles, dont_know, missed);
  EXPECT_GT(races, dont_know);
}

TEST(VindicateAgreement, AllStepsAreExactOnTheConformanceTraces) {
  std::map<Method, std::size_t> count;
  const auto labelled = judges::load_conformance_traces(std::string(OMEN_TEST_DATA) + "/conformance/traces.jsonl");
  for (const auto& one : labelled) {
    SCOPED_TRACE(one.name);
    const judges::ReorderingSearch lw(one.trace, judges::Notion::Lw);
    ASSERT_EQ(lw.pairs(), one.lw);
    expect_exact(one.trace, lw, {}, count);
    if (HasFatalFailure()) return;
  }
  print("conformance traces", labelled.size(), count);
}

}  // namespace
}  // namespace omen::vindicate
