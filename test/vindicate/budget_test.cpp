/// \file
/// Exhausted budgets are reported; a window that shows no race decides nothing. Also the text of a witness.
#include <gtest/gtest.h>

#include <algorithm>

#include "checker/checker.hpp"
#include "test/judges/conformance.hpp"
#include "test/judges/std_text.hpp"
#include "vindicate/confirm.hpp"
#include "vindicate/witness_columns.hpp"

namespace omen::vindicate {
namespace {

constexpr Methods kSearch{.order = false, .closure = false, .graph = false, .search = true, .smt = false};
constexpr Methods kSmt{.order = false, .closure = false, .graph = false, .search = false, .smt = true};

/// `text` after many events that both of its threads need.
Trace after_many(const std::string& text) {
  std::string all;
  for (int i = 0; i < 1000; ++i) all += "T1|w(a)\nT2|acq(n)\nT2|w(b)\nT2|rel(n)\nT1|acq(n)\nT1|rel(n)\n";
  return judges::trace_of(all + text);
}

TEST(VindicateBudget, ARaceInAWindowIsARace) {
  const Trace trace = after_many("T1|acq(g)\nT1|w(x)\nT1|rel(g)\nT2|acq(g)\nT2|w(y)\nT2|rel(g)\nT2|w(x)\n");
  for (const Methods& methods : {kSearch, kSmt}) {
    const Confirmer confirmer(trace, methods, Budget::of(100));
    const Verdict verdict = confirmer.confirm(Pair{6001, 6006});
    EXPECT_EQ(verdict.outcome, Outcome::Race);
    EXPECT_GT(verdict.window_begin, 0U);
    EXPECT_LE(verdict.exact_items, 100U);
    EXPECT_TRUE(checker::accepts(trace, confirmer.witness(verdict)));
  }
}

TEST(VindicateBudget, NothingInAWindowSaysNothing) {
  const Trace trace = after_many("T1|acq(g)\nT1|w(x)\nT1|rel(g)\nT2|acq(g)\nT2|w(x)\nT2|rel(g)\n");
  const Verdict window = Confirmer(trace, kSearch, Budget::of(100)).confirm(Pair{6001, 6004});
  EXPECT_EQ(window.outcome, Outcome::Unknown);
  EXPECT_EQ(window.ran_out, "window");
  const Verdict whole = Confirmer(trace, {}, Budget::of(100)).confirm(Pair{6001, 6004});
  EXPECT_EQ(whole.outcome, Outcome::NoRace);
  EXPECT_EQ(whole.method, Method::Order);
}

TEST(VindicateBudget, TooFarApartForAnyWindow) {
  std::string between;
  for (int i = 0; i < 200; ++i) between += "T2|w(y)\n";
  const Trace trace = after_many("T1|acq(g)\nT1|w(x)\nT1|rel(g)\nT2|acq(g)\nT2|rel(g)\n" + between + "T2|w(x)\n");
  const Verdict verdict = Confirmer(trace, kSearch, Budget::of(100)).confirm(Pair{6001, 6205});
  EXPECT_EQ(verdict.outcome, Outcome::Unknown);
  EXPECT_EQ(verdict.ran_out, "window");
  const Confirmer all(trace, {}, Budget::of(100));
  EXPECT_EQ(all.confirm(Pair{6001, 6205}).outcome, Outcome::Race);  // by the closure, with the section last
}

TEST(VindicateBudget, SaysWhatRanOut) {
  for (const auto& figure : judges::load_figures(std::string(OMEN_TEST_DATA) + "/conformance/figures")) {
    if (figure.name != "vind_Figure9c.std") continue;
    const judges::Pair found = figure.races.at(judges::Relation::Wdc).pairs.at(0);
    const Pair pair{static_cast<EventNo>(found.first), static_cast<EventNo>(found.second)};
    const Budget small{.graph_nodes = 10, .window = 2000, .states = 2, .rlimit = 10};
    const Verdict searched = Confirmer(figure.trace, kSearch, small).confirm(pair);
    EXPECT_EQ(searched.outcome, Outcome::Unknown);
    EXPECT_EQ(searched.ran_out, "search states");
    EXPECT_EQ(Confirmer(figure.trace, kSmt, small).confirm(pair).ran_out, "rlimit");
    const Methods graph{.order = false, .closure = false, .graph = true, .search = false, .smt = false};
    EXPECT_EQ(Confirmer(figure.trace, graph, small).confirm(pair).ran_out, "graph nodes");
    return;
  }
  FAIL() << "no figure 9c";
}

TEST(WitnessColumns, OneColumnPerThreadThePairMarked) {
  const Trace trace =
      judges::trace_of("T1|w(x)|a:1\nT1|acq(m)|a:2\nT1|rel(m)|a:3\nT2|acq(m)|b:1\nT2|rel(m)|b:2\nT2|r(x)|b:3");
  const std::vector<EventNo> witness{3, 4, 0, 5};
  EXPECT_EQ(witness_columns(TraceIndex(trace), witness),
            "      event  T1    T2\n"
            "          3        acq(m)  b:1\n"
            "          4        rel(m)  b:2\n"
            "          0  w(x)          a:1   <-- race\n"
            "          5        r(x)    b:3   <-- race\n");
}

TEST(WitnessColumns, LongWitnessesAreCut) {
  std::string text = "T1|acq(m)|0\n";
  for (int i = 1; i <= 500; ++i) text += "T1|w(y)|" + std::to_string(i) + "\n";
  const Trace trace = judges::trace_of(text + "T1|w(x)|501\nT2|w(x)|502\n");
  std::vector<EventNo> witness;
  for (EventNo e = 0; e < trace.size(); ++e) witness.push_back(e);
  const std::string shown = witness_columns(TraceIndex(trace), witness, {.most = 12});
  EXPECT_LT(std::ranges::count(shown, '\n'), 20);
  EXPECT_NE(shown.find("acq(m)"), std::string::npos);  // the lock that is held at the race
  EXPECT_NE(shown.find("events left out)"), std::string::npos);
}

}  // namespace
}  // namespace omen::vindicate
