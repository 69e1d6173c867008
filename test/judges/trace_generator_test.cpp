/// \file
/// Tests of the generator: traces are well formed, within the limits, and the same for the same seed, and each shape
/// has traces in which neighbouring relations differ.
#include "test/judges/trace_generator.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <set>

#include "test/judges/relation_oracle.hpp"
#include "test/judges/std_text.hpp"
#include "test/judges/trace_count.hpp"
#include "trace/well_formed.hpp"

namespace omen::judges {
namespace {

std::string label(Shape shape, std::uint64_t seed) {
  return std::string(name(shape)) + " seed " + std::to_string(seed);
}

class GeneratorOfShape : public testing::TestWithParam<Shape> {};
INSTANTIATE_TEST_SUITE_P(Shapes, GeneratorOfShape, testing::ValuesIn(kShapes),
                         [](const auto& shape) { return std::string(name(shape.param)); });

TEST_P(GeneratorOfShape, MakesWellFormedTraces) {
  for (std::uint64_t seed = 0; seed < trace_count(20'000); ++seed) {
    Trace trace = generate(GetParam(), seed);
    ASSERT_LE(trace.size(), 40U) << label(GetParam(), seed);
    WellFormedness rules;
    for (Event event : trace.events) {
      const bool nested = event.nested;
      const auto legal = rules.check(event, trace.names);
      ASSERT_TRUE(legal.has_value()) << label(GetParam(), seed) << ": " << legal.error();
      ASSERT_EQ(event.nested, nested) << label(GetParam(), seed);
    }
  }
}

TEST_P(GeneratorOfShape, MakesTheSameTraceAgain) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    EXPECT_EQ(to_std(generate(GetParam(), seed)), to_std(generate(GetParam(), seed))) << label(GetParam(), seed);
  }
}

TEST_P(GeneratorOfShape, KeepsTheLimitOnEvents) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const std::size_t limit = 1 + seed % 60;
    EXPECT_LE(generate(GetParam(), seed, {.max_events = limit}).size(), limit) << label(GetParam(), seed);
  }
}

TEST_P(GeneratorOfShape, TellsTheRelationsApart) {
  const std::size_t traces = trace_count(20'000);
  std::size_t hb_wcp = 0;
  std::size_t wcp_dc = 0;
  std::size_t dc_wdc = 0;
  std::size_t racy = 0;
  std::size_t events = 0;
  for (std::uint64_t seed = 0; seed < traces; ++seed) {
    const Trace trace = generate(GetParam(), seed);
    const RelationOracle oracle(trace);
    const Verdicts hb = oracle.races(Relation::Hb);
    const Verdicts wcp = oracle.races(Relation::Wcp);
    const Verdicts dc = oracle.races(Relation::Dc);
    const Verdicts wdc = oracle.races(Relation::Wdc);
    hb_wcp += hb.pairs != wcp.pairs;
    wcp_dc += wcp.pairs != dc.pairs;
    dc_wdc += dc.pairs != wdc.pairs;
    racy += wdc.first.has_value();
    events += trace.size();
  }
  std::printf("%-12s %zu traces, %.1f events each, %zu racy; differ: HB/WCP %zu, WCP/DC %zu, DC/WDC %zu\n",
              std::string(name(GetParam())).c_str(), traces, static_cast<double>(events) / static_cast<double>(traces),
              racy, hb_wcp, wcp_dc, dc_wdc);
  EXPECT_GT(hb_wcp, 0U);
  EXPECT_GT(wcp_dc, 0U);
  EXPECT_GT(dc_wdc, 0U);
}

/// The order in a trace that sections cause in addition to conflicting accesses.
struct SectionOrder {
  bool by_atomics = false;           ///< rule (a) through an atomic orders what nothing else does in WDC
  bool out_of_open_section = false;  ///< a hard edge leaves a section, and a later rival section comes after it
  bool fork_inside = false;
  bool join_inside = false;
};

SectionOrder section_order_of(const Trace& trace) {
  const RelationOracle oracle(trace);
  const RelationOracle papers(trace, Definitions::OfThePapers);
  const auto all = sections(trace);
  const auto in = [&](const Section& s, std::size_t e) {
    return trace.events[e].thread == s.thread && s.start <= e && (!s.end || e <= *s.end);
  };
  SectionOrder order;
  for (const Section& first : all) {
    for (std::size_t e1 = first.start; e1 < trace.size(); ++e1) {
      if (!in(first, e1)) continue;
      order.fork_inside |= trace.events[e1].op == Op::Fork;
      order.join_inside |= trace.events[e1].op == Op::Join;
      for (const Section& second : all) {
        if (second.lock != first.lock || second.thread == first.thread || second.start < first.start || !first.end ||
            (first.shared && second.shared))
          continue;
        order.out_of_open_section |= oracle.ordered(Relation::To, *first.end, second.start) &&
                                     !papers.ordered(Relation::To, *first.end, second.start);
        for (std::size_t e2 = second.start; e2 < trace.size(); ++e2) {
          order.by_atomics |=
              in(second, e2) && atomic_conflict(trace, e1, e2) && !oracle.ordered(Relation::To, *first.end, e2);
        }
      }
    }
  }
  return order;
}

TEST(Generator, MakesSectionsThatAtomicsAndHardEdgesOrder) {
  const std::size_t traces = trace_count(5'000);
  std::size_t by_atomics = 0;
  std::size_t out_of_open_section = 0;
  std::size_t forks = 0;
  std::size_t joins = 0;
  for (std::uint64_t seed = 0; seed < traces; ++seed) {
    const SectionOrder order = section_order_of(generate(Shape::Guarded, seed));
    by_atomics += order.by_atomics;
    out_of_open_section += order.out_of_open_section;
    forks += order.fork_inside;
    joins += order.join_inside;
  }
  std::printf(
      "guarded: of %zu traces, %zu are ordered by atomics in sections, %zu out of open sections; forks in "
      "sections in %zu, joins in %zu\n",
      traces, by_atomics, out_of_open_section, forks, joins);
  EXPECT_GT(by_atomics, traces / 4);
  EXPECT_GT(out_of_open_section, traces / 50);
  EXPECT_GT(forks, traces / 20);
  EXPECT_GT(joins, traces / 40);
}

/// The rich shape has every operation, the nested one every nesting.
TEST(Generator, RichHasEveryOperation) {
  std::set<Op> seen;
  bool recursion = false;
  for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
    for (const Event& event : generate(Shape::Rich, seed).events) {
      seen.insert(event.op);
      recursion |= event.nested;
    }
  }
  EXPECT_EQ(seen.size(), kOpCount);
  EXPECT_TRUE(recursion);
}

}  // namespace
}  // namespace omen::judges
