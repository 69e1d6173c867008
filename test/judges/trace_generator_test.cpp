/// \file
/// The generator keeps its promises: well-formed traces within the limits, the same for the same seed, and of every
/// shape some in which neighbouring relations differ.
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

/// No operation is left out of the rich shape, no nesting out of the nested one.
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
