/// \file
/// Pairs whose past has hundreds of threads and tens of thousands of events are decided, by the constraint graph alone
/// and by all steps together.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "test/judges/conformance.hpp"
#include "test/judges/std_text.hpp"
#include "vindicate/confirm.hpp"

namespace omen::vindicate {
namespace {

constexpr Methods kGraph{.order = false, .closure = false, .graph = true, .search = false, .smt = false};

struct Question {
  Trace trace;
  Pair pair;
};

/// A figure of Vindicator after `threads` threads, each of which executes many events alone and then adds to a sum that
/// the next one reads, and finally the figure's threads. So all of it is in the past of the pair.
Question padded(const std::string& name, std::size_t threads, std::size_t alone) {
  for (const auto& figure : judges::load_figures(std::string(OMEN_TEST_DATA) + "/conformance/figures")) {
    if (figure.name != name) continue;
    std::string text;
    std::size_t events = 0;
    const auto add = [&](const std::string& event) {
      text += event;
      text += "\n";
      ++events;
    };
    const auto add_to_sum = [&](const std::string& thread) {
      add(thread + "|acq(pad)");
      add(thread + "|r(sum)");
      add(thread + "|w(sum)");
      add(thread + "|rel(pad)");
    };
    for (std::size_t i = 0; i < threads; ++i) {
      const std::string thread = "P" + std::to_string(i);
      for (std::size_t n = 0; n < alone; ++n) add(thread + "|w(own" + std::to_string(i) + ")");
      add_to_sum(thread);
    }
    const NameTable& names = figure.trace.names.of(OperandKind::Thread);
    for (std::uint32_t t = 0; t < names.size(); ++t) {
      const bool forked = std::ranges::any_of(figure.trace.events, [&](const Event& event) {
        return event.op == Op::Fork && event.target() == ThreadId{t};
      });
      if (!forked) add_to_sum(names[t]);
    }
    const judges::Pair found = figure.races.at(judges::Relation::Wdc).pairs.at(0);
    return {judges::trace_of(text + judges::to_std(figure.trace)),
            {static_cast<EventNo>(found.first + events), static_cast<EventNo>(found.second + events)}};
  }
  ADD_FAILURE() << "no " << name;
  return {};
}

TEST(ManyThreads, TheGraphDecidesFigure3BehindTwoHundredThreads) {
  const Question q = padded("vind_Figure3.std", 206, 300);
  EXPECT_GT(q.trace.size(), 60'000U);
  const Confirmer confirmer(q.trace, kGraph, Budget::of(Budget::kDefault));
  const Verdict verdict = confirmer.confirm(q.pair);
  ASSERT_EQ(verdict.outcome, Outcome::Race) << verdict.ran_out;
  EXPECT_GT(verdict.graph->nodes, 60'000U) << "all of it is in the pair's past";
  EXPECT_TRUE(checker::accepts(q.trace, confirmer.witness(verdict)));
}

TEST(ManyThreads, AndAllStepsTogetherBehindFourHundred) {
  const Question q = padded("vind_Figure3.std", 400, 1000);
  EXPECT_GT(q.trace.size(), 400'000U);
  const Confirmer confirmer(q.trace, {}, Budget::of(Budget::kDefault));
  const Verdict verdict = confirmer.confirm(q.pair);
  EXPECT_EQ(verdict.outcome, Outcome::Race) << verdict.ran_out;
}

TEST(ManyThreads, ACycleIsFoundBehindThem) {
  const Question q = padded("vind_Figure4a.std", 206, 300);
  const Verdict verdict = Confirmer(q.trace, kGraph, Budget::of(Budget::kDefault)).confirm(q.pair);
  EXPECT_EQ(verdict.outcome, Outcome::NoRace);
  EXPECT_TRUE(verdict.under_ca);
}

/// Threads outside the past of the pair do not count.
TEST(ManyThreads, OthersDoNotCount) {
  std::string others;
  for (int i = 0; i < 5000; ++i) others += "Q" + std::to_string(i) + "|w(q)\nQ" + std::to_string(i) + "|r(q)\n";
  const Question q = padded("vind_Figure3.std", 3, 10);
  const Trace trace = judges::trace_of(others + judges::to_std(q.trace));
  const Pair pair{q.pair.first + 10'000, q.pair.second + 10'000};
  const Budget small{.graph_nodes = 1000, .window = 2000, .states = 1000, .rlimit = 1000};
  const Verdict verdict = Confirmer(trace, kGraph, small).confirm(pair);
  EXPECT_EQ(verdict.outcome, Outcome::Race) << verdict.ran_out;
}

}  // namespace
}  // namespace omen::vindicate
